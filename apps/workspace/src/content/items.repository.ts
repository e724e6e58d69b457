import { BaseRepository, type Transaction } from '@plinth/database';
import { rightsOf } from './visibility';
import type { Viewer } from './viewer';
import { Item, type ItemType } from './item.entity';

/** An item with what a viewer may do with it. */
export type RankedItem = Item & {
  /** 0 for nothing, 1 for reading, 2 for editing, 3 for everything. */
  rank: number;
  /** Also true of a folder that is only on the way to something readable. */
  visible: boolean;
};

export const itemColumns = `i.id, i.tenant_id as "tenantId", i.deployment_id as "deploymentId", i.type, i.name,
  i.parent_id as "parentId", i.path, i.position, i.owner_id as "ownerId", i.created_by as "createdBy",
  i.updated_by as "updatedBy", i.created_at as "createdAt", i.updated_at as "updatedAt"`;

export type NewItem = Pick<Item, 'tenantId' | 'deploymentId' | 'type' | 'name' | 'parentId' | 'path' | 'ownerId'> &
  Partial<Pick<Item, 'position'>>;

export class ItemsRepository extends BaseRepository {
  /** The item of the viewer's deployment, whatever they may do with it. */
  async findFor(
    tx: Transaction,
    viewer: Viewer,
    type: ItemType,
    id: number,
    lock: boolean,
  ): Promise<RankedItem | undefined> {
    const rights = rightsOf(viewer);
    const [item] = await this.managerFor(tx).query<RankedItem[]>(
      `${rights.with}
       select ${itemColumns}, ${rights.rank} as rank, ${rights.visible} as visible
       from item i where i.deployment_id = $1 and i.type = $6 and i.id = $7 ${lock ? 'for no key update of i' : ''}`,
      [...rights.values, type, id],
    );
    return item;
  }

  /** Who makes an item owns it. */
  async insert(tx: Transaction, item: NewItem): Promise<Item> {
    const row = { position: null, ...item, createdBy: item.ownerId, updatedBy: item.ownerId };
    const inserted = await this.managerFor(tx).insert(Item, row);
    return { ...row, ...inserted.generatedMaps[0] } as Item;
  }

  isOfType(tx: Transaction, id: number, type: ItemType): Promise<boolean> {
    return this.managerFor(tx).existsBy(Item, { id, type });
  }

  async update(tx: Transaction, id: number, change: Partial<Item>): Promise<void> {
    await this.managerFor(tx).update(Item, { id }, { ...change, updatedAt: () => 'now()' });
  }

  async delete(tx: Transaction, id: number): Promise<void> {
    await this.managerFor(tx).delete(Item, { id });
  }

  /** Everything of a deployment that is gone. */
  async deleteOfDeployment(tx: Transaction, deploymentId: number): Promise<void> {
    await this.managerFor(tx).delete(Item, { deploymentId });
  }
}
