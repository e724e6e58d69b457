import { BaseRepository, type Reader, type Transaction } from '@plinth/database';
import { rightsOf } from './visibility';
import type { Ownership, Viewer } from './viewer';
import { Item, type ItemType } from './item.entity';

/** An item with what a viewer may do with it. */
export type RankedItem = Item & {
  /** 0 for nothing, 1 for reading, 2 for editing, 3 for everything. */
  rank: number;
  /** Also true of a folder that is only on the way to something readable. */
  visible: boolean;
};

export const itemColumns = `i.id, i.tenant_id as "tenantId", i.deployment_id as "deploymentId", i.type, i.name,
  i.parent_id as "parentId", i.path, i.position, i.owner_id as "ownerId",
  i.embed_owner_id as "embedOwnerId", i.embed_tenant_name as "embedTenantName", i.created_by as "createdBy",
  i.updated_by as "updatedBy", i.created_at as "createdAt", i.updated_at as "updatedAt"`;

export type NewItem = Pick<Item, 'tenantId' | 'deploymentId' | 'type' | 'name' | 'parentId' | 'path'> &
  Pick<Ownership, 'ownerId'> &
  Partial<Ownership & Pick<Item, 'position'>>;

/** That an item lies directly in the parent: two conditions, as an index has a place for null, but no equal of it. */
export const liesIn = (parentId: number | null, parameter: string): string =>
  parentId === null ? 'parent_id is null' : `parent_id = ${parameter}`;

/** @param deployment that of the folders, as SQL has it. */
const positionAfterAll = (parentId: number | null, deployment: string, parent: string): string =>
  `select least(coalesce(max(position) + 1, 0), ${Number.MAX_SAFE_INTEGER}) as position from item
   where deployment_id = ${deployment} and ${liesIn(parentId, parent)} and type = 'FOLDER'`;

const ofNoEmbedUser = { embedOwnerId: null, embedTenantName: null };

export class ItemsRepository extends BaseRepository {
  /** The item of the viewer's deployment, whatever they may do with it. Only in a transaction can it be locked. */
  async findFor(
    from: Reader,
    viewer: Viewer,
    type: ItemType,
    id: number,
    lock = false,
  ): Promise<RankedItem | undefined> {
    const rights = rightsOf(viewer);
    const [item] = await this.prepared<RankedItem>(
      from,
      `${rights.with}
       select ${itemColumns}, ${rights.rank} as rank, ${rights.visible} as visible
       from item i where i.deployment_id = $1 and i.type = $8 and i.id = $9 ${lock ? 'for no key update of i' : ''}`,
      [...rights.values, type, id],
    );
    return item;
  }

  /** The folders among the ids. */
  async foldersAmong(from: Reader, ids: Iterable<number>): Promise<Map<number, Pick<Item, 'id' | 'name'>>> {
    const wanted = [...ids];
    if (wanted.length === 0) return new Map();
    const rows = await this.prepared<Pick<Item, 'id' | 'name'>>(
      from,
      `select id, name from item where id = any($1::bigint[]) and type = 'FOLDER'`,
      [wanted],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Who makes an item owns it. A folder without a position becomes the last of its siblings. */
  async insert(tx: Transaction, item: NewItem): Promise<Item> {
    const { tenantId, deploymentId, type, name, parentId, path, ownerId } = item;
    const made = { ...ofNoEmbedUser, position: null, ...item, createdBy: ownerId, updatedBy: ownerId };
    const position =
      type === 'FOLDER' ? `coalesce($10::bigint, (${positionAfterAll(parentId, '$2', '$5')}))` : '$10::bigint';
    const [row] = await this.prepared<Pick<Item, 'id' | 'position' | 'createdAt' | 'updatedAt'>>(
      tx,
      `insert into item (tenant_id, deployment_id, type, name, parent_id, path, owner_id, created_by, updated_by,
         embed_owner_id, embed_tenant_name, position)
       values ($1, $2, $3, $4, $5, $6, $7, $7, $7, $8, $9, ${position})
       returning id, position, created_at as "createdAt", updated_at as "updatedAt"`,
      [
        ...[tenantId, deploymentId, type, name, parentId, path, ownerId],
        ...[made.embedOwnerId, made.embedTenantName, made.position],
      ],
    );
    return { ...made, ...row } as Item;
  }

  /** The position after all folders that lie in the same place. */
  async lastPosition(
    tx: Transaction,
    { deploymentId, parentId }: Pick<Item, 'deploymentId' | 'parentId'>,
  ): Promise<number> {
    const [row] = await this.managerFor(tx).query<[{ position: number }]>(
      positionAfterAll(parentId, '$1', '$2'),
      parentId === null ? [deploymentId] : [deploymentId, parentId],
    );
    return row.position;
  }

  async update(tx: Transaction, id: number, change: Partial<Item>): Promise<void> {
    await this.managerFor(tx).update(Item, { id }, { ...change, updatedAt: () => 'now()' });
  }

  /** Gives everything that a user owns in any deployment to another. Returns the number of items. */
  async transfer(tx: Transaction, fromUserId: number, toUserId: number): Promise<number> {
    const { affected } = await this.managerFor(tx).update(Item, { ownerId: fromUserId }, { ownerId: toUserId });
    return affected ?? 0;
  }

  /** Locks items in the one order in which nobody waits for somebody who waits for them. */
  async lock(tx: Transaction, ids: readonly number[]): Promise<void> {
    await this.managerFor(tx).query('select id from item where id = any($1::bigint[]) order by id for no key update', [
      ids,
    ]);
  }

  /** Everything of a deployment that is gone. */
  async deleteOfDeployment(tx: Transaction, deploymentId: number): Promise<void> {
    await this.managerFor(tx).delete(Item, { deploymentId });
  }
}
