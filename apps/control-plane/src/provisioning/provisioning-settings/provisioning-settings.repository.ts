import { BaseRepository, type Transaction } from '@plinth/database';
import { ProvisioningGroupRole, ProvisioningSettings } from './provisioning-settings.entity';

export type GroupRole = Pick<ProvisioningGroupRole, 'groupName' | 'roleId'>;

export interface NamedRole {
  id: number;
  name: string;
}

export class ProvisioningSettingsRepository extends BaseRepository {
  /** Makes changes of the tenant's settings wait for each other until the transaction ends. */
  async hold(tx: Transaction, tenantId: number): Promise<void> {
    const manager = this.managerFor(tx);
    const unset = { tenantId, defaultRoleId: null };
    await manager.createQueryBuilder().insert().into(ProvisioningSettings).values(unset).orIgnore().execute();
    await manager.findOneOrFail(ProvisioningSettings, { where: { tenantId }, lock: { mode: 'pessimistic_write' } });
  }

  async setDefaultRole(tx: Transaction, tenantId: number, defaultRoleId: number | null): Promise<void> {
    await this.managerFor(tx).update(ProvisioningSettings, { tenantId }, { defaultRoleId });
  }

  groupRoles(tx: Transaction, tenantId: number): Promise<GroupRole[]> {
    const select = { groupName: true, roleId: true } as const;
    return this.managerFor(tx).find(ProvisioningGroupRole, { select, where: { tenantId }, order: { position: 'ASC' } });
  }

  /** Returns the position of the first entry whose group another one has named already; undefined when all are kept. */
  async replaceGroupRoles(
    tx: Transaction,
    tenantId: number,
    wanted: readonly GroupRole[],
  ): Promise<number | undefined> {
    const manager = this.managerFor(tx);
    await manager.delete(ProvisioningGroupRole, { tenantId });
    const kept = await manager.query<{ position: number }[]>(
      `insert into provisioning_group_role (tenant_id, position, group_name, role_id)
       select $1, position - 1, group_name, role_id
       from unnest($2::text[], $3::bigint[]) with ordinality as wanted (group_name, role_id, position)
       order by position
       on conflict (tenant_id, lower(group_name)) do nothing returning position`,
      [tenantId, wanted.map(({ groupName }) => groupName), wanted.map(({ roleId }) => roleId)],
    );
    const positions = new Set(kept.map(({ position }) => position));
    return [...wanted.keys()].find((position) => !positions.has(position));
  }

  /** The built-in roles that can be given, and those with the ids. */
  roles(tx: Transaction, ids: readonly number[]): Promise<NamedRole[]> {
    return this.managerFor(tx).query<NamedRole[]>(
      `select id, name from role where (is_built_in and name <> 'Admin') or id = any($1) order by id`,
      [ids],
    );
  }

  /** The role that new users get, which stays until the transaction ends. */
  async defaultRoleId(tx: Transaction, tenantId: number): Promise<number> {
    const [role] = await this.managerFor(tx).query<{ id: number }[]>(
      `select r.id from role r left join provisioning_settings s on s.tenant_id = r.tenant_id and s.default_role_id = r.id
       where r.tenant_id = $1 and (s.default_role_id is not null or (r.is_built_in and r.name = 'Viewer'))
       order by s.default_role_id nulls last limit 1 for key share of r`,
      [tenantId],
    );
    if (!role) throw new Error(`Tenant ${tenantId} has no role Viewer`);
    return role.id;
  }
}
