import { BaseRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';

/** A user of an embed tenant, as memberships refer to them. */
export interface MemberRef {
  tenantId: number;
  embedTenantId: number;
  embedUserId: number;
}

export class GroupMembersRepository extends BaseRepository {
  /**
   * Makes the user a member of these own groups of the embed tenant and of no others.
   *
   * @throws AppError `embed_group.unknown_name` (400)
   */
  async replaceOf(tx: Transaction, user: MemberRef, names: readonly string[]): Promise<void> {
    const groups = await this.namedGroups(tx, user.embedTenantId, names);
    const unknown = [...new Set(names)].filter((name) => !groups.some((group) => group.name === name));
    if (unknown.length > 0) {
      throw new AppError('embed_group.unknown_name', `Tenant groups with names ${unknown.join(', ')} not found`);
    }
    const ids = groups.map(({ id }) => id);
    const manager = this.managerFor(tx);
    await manager.query(
      `delete from embed_group_member
       where embed_tenant_id = $1 and embed_user_id = $2 and group_id <> all($3::bigint[])`,
      [user.embedTenantId, user.embedUserId, ids],
    );
    await manager.query(
      `insert into embed_group_member (tenant_id, embed_tenant_id, group_id, embed_user_id)
       select $1, $2, id, $3 from unnest($4::bigint[]) id order by id on conflict do nothing`,
      [user.tenantId, user.embedTenantId, user.embedUserId, ids],
    );
  }

  /** They cannot be deleted before the transaction ends. */
  private namedGroups(
    tx: Transaction,
    embedTenantId: number,
    names: readonly string[],
  ): Promise<{ id: number; name: string }[]> {
    return this.managerFor(tx).query<{ id: number; name: string }[]>(
      `select id, name from embed_group
       where embed_tenant_id = $1 and kind = 'own' and name = any($2) order by id for key share`,
      [embedTenantId, names],
    );
  }
}
