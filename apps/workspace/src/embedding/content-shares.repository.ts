import { BaseRepository, type Transaction } from '@plinth/database';
import type { Item } from '../content';

/** A group or a user of an embed tenant. */
export type ShareTarget = { groupId: number; embedUserId: null } | { groupId: null; embedUserId: number };

/** With whom of their embed tenant embed users share what they own, for reading. */
export class ContentSharesRepository extends BaseRepository {
  list(tx: Transaction, itemId: number): Promise<ShareTarget[]> {
    return this.managerFor(tx).query<ShareTarget[]>(
      'select group_id as "groupId", embed_user_id as "embedUserId" from content_share where item_id = $1',
      [itemId],
    );
  }

  /** Sharing again changes nothing. */
  async grant(tx: Transaction, item: Item, { groupId, embedUserId }: ShareTarget): Promise<void> {
    await this.managerFor(tx).query(
      `insert into content_share (tenant_id, deployment_id, item_id, group_id, embed_user_id)
       values ($1, $2, $3, $4, $5) on conflict (item_id, group_id, embed_user_id) do nothing`,
      [item.tenantId, item.deploymentId, item.id, groupId, embedUserId],
    );
  }

  async revoke(tx: Transaction, itemId: number, { groupId, embedUserId }: ShareTarget): Promise<void> {
    await this.managerFor(tx).query(
      `delete from content_share
       where item_id = $1 and group_id is not distinct from $2 and embed_user_id is not distinct from $3`,
      [itemId, groupId, embedUserId],
    );
  }
}
