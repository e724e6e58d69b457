import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import type { Item } from './item.entity';
import { ItemsRepository } from './items.repository';
import { People } from './people.service';

/** What replies say of items of every kind. */
export type ContractItem = Required<
  Pick<
    Schemas['Workbook'],
    'id' | 'deploymentId' | 'type' | 'name' | 'folderId' | 'folderPath' | 'user' | 'userId' | 'createdAt' | 'updatedAt'
  >
> &
  Pick<Schemas['Workbook'], 'createdBy'>;

/** Shows items with the folders that they lie in and with their owners. */
@Injectable()
export class ItemDescriptions {
  constructor(
    private readonly items: ItemsRepository,
    private readonly people: People,
  ) {}

  /** In the order of the items. All are of one tenant, and to be seen by whoever gets them. */
  async describe(tx: Transaction, tenantId: number, items: readonly Item[]): Promise<ContractItem[]> {
    const ancestors = await this.items.foldersAmong(tx, new Set(items.flatMap(({ path }) => path)));
    const owners = await this.people.describe(
      tenantId,
      items.map(({ ownerId }) => ownerId),
    );
    return items.map((item) => {
      const { id, deploymentId, type, name, path, ownerId, createdBy, createdAt, updatedAt } = item;
      // A report in a workbook is in the workbook's folder.
      const folderPath = path.flatMap((each) => ancestors.get(each) ?? []);
      return {
        ...{ id, deploymentId, type, name, folderPath, folderId: folderPath.at(-1)?.id ?? null },
        user: (ownerId !== null && owners.get(ownerId)) || null,
        userId: ownerId,
        ...(createdBy !== null && { createdBy }),
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
      };
    });
  }
}
