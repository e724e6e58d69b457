import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import type { Item } from './item.entity';
import { ItemsRepository } from './items.repository';
import { People } from './people.service';
import type { Viewer } from './viewer';

type Owner = Schemas['Person'];

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

  /** In the order of the items, which the viewer may see. */
  async describe(tx: Transaction, who: Viewer, items: readonly Item[]): Promise<ContractItem[]> {
    const ancestors = await this.items.foldersAmong(tx, new Set(items.flatMap(({ path }) => path)));
    const ownerOf = await this.owners(who, items);
    return items.map((item) => {
      const { id, deploymentId, type, name, path, createdAt, updatedAt } = item;
      const { ownerId, createdBy } = who.embed ? unnamed : item;
      // A report in a workbook is in the workbook's folder.
      const folderPath = path.flatMap((each) => ancestors.get(each) ?? []);
      return {
        ...{ id, deploymentId, type, name, folderPath, folderId: folderPath.at(-1)?.id ?? null },
        user: ownerOf(item),
        userId: ownerId,
        ...(createdBy !== null && { createdBy }),
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
      };
    });
  }

  /** Of embed users, others know only those of their own embed tenant, and an embed tenant as a whole knows nobody. */
  private async owners(who: Viewer, items: readonly Item[]): Promise<(item: Item) => Owner | null> {
    const { tenantId, embed } = who;
    const isKnown = ({ embedTenantName }: Item): boolean =>
      !embed || (embed.userId !== null && embed.tenantName === embedTenantName);
    const users = await this.people.describe(
      who,
      items.map(({ ownerId }) => ownerId),
    );
    const embedUsers = await this.people.embedUsers(
      tenantId,
      items.filter(isKnown).flatMap(({ embedOwnerId }) => embedOwnerId ?? []),
    );
    return ({ ownerId, embedOwnerId }) => users.get(ownerId ?? 0) ?? embedUsers.get(embedOwnerId ?? 0) ?? null;
  }
}

const unnamed = { ownerId: null, createdBy: null };
