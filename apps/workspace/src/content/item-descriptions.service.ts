import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Reader } from '@plinth/database';
import type { Item } from './item.entity';
import { ItemsRepository } from './items.repository';
import { userRef, type PersonRef, type Unnamed } from './people.service';
import type { Viewer } from './viewer';

/** What replies say of items of every kind. */
export type ContractItem = Required<
  Pick<
    Schemas['Workbook'],
    'id' | 'deploymentId' | 'type' | 'name' | 'folderId' | 'folderPath' | 'user' | 'userId' | 'createdAt' | 'updatedAt'
  >
> &
  Pick<Schemas['Workbook'], 'createdBy'>;

/** Shows items with the folders that they lie in. */
@Injectable()
export class ItemDescriptions {
  constructor(private readonly items: ItemsRepository) {}

  /** In the order of the items, which the viewer may see. */
  async describe(from: Reader, who: Viewer, items: readonly Item[]): Promise<Unnamed<ContractItem>[]> {
    const ancestors = await this.items.foldersAmong(from, new Set(items.flatMap(({ path }) => path)));
    return items.map((item) => {
      const { ownerId, createdBy } = who.embed ? unnamed : item;
      // A report in a workbook is in the workbook's folder.
      const folderPath = item.path.flatMap((each) => ancestors.get(each) ?? []);
      const described: Unnamed<ContractItem> = {
        id: item.id,
        deploymentId: item.deploymentId,
        type: item.type,
        name: item.name,
        folderPath,
        folderId: folderPath.at(-1)?.id ?? null,
        user: ownerOf(who, item),
        userId: ownerId,
        createdAt: item.createdAt.toISOString(),
        updatedAt: item.updatedAt.toISOString(),
      };
      if (createdBy !== null) described.createdBy = createdBy;
      return described;
    });
  }
}

/** Of embed users, others know only those of their own embed tenant, and an embed tenant as a whole knows nobody. */
function ownerOf({ embed }: Viewer, { ownerId, embedOwnerId, embedTenantName }: Item): PersonRef | null {
  if (ownerId !== null) return embed ? null : userRef(ownerId);
  const isKnown = !embed || (embed.userId !== null && embed.tenantName === embedTenantName);
  return embedOwnerId !== null && isKnown ? { id: embedOwnerId, isEmbedUser: true } : null;
}

const unnamed = { ownerId: null, createdBy: null };
