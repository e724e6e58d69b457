import { builtInRoles, type Policy } from '@plinth/auth';
import { BaseRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { In, LessThan } from 'typeorm';
import { GroupRoleAssignment, RoleAssignment } from './role-assignment.entity';
import { Role } from './role.entity';

export interface NewRole {
  tenantId: number;
  name: string;
  description: string | null;
  policies: Policy[];
}

export class RolesRepository extends BaseRepository {
  /** Gives a new tenant its built-in roles. */
  async insertBuiltIn(tx: Transaction, tenantId: number): Promise<void> {
    const rows = builtInRoles.map((name) => ({ tenantId, name, description: null, isBuiltIn: true, policies: [] }));
    await this.managerFor(tx).insert(Role, rows);
  }

  /** @throws AppError `role.name_taken` (409). */
  insert(tx: Transaction, role: NewRole): Promise<Role> {
    return this.uniquelyNamed(() => this.managerFor(tx).save(Role, { ...role, isBuiltIn: false }) as Promise<Role>);
  }

  /** Custom roles, newest first, those older than `beforeId` when it is given. */
  list(tx: Transaction, limit: number, beforeId?: number): Promise<Role[]> {
    return this.managerFor(tx).find(Role, {
      where: { isBuiltIn: false, ...(beforeId !== undefined && { id: LessThan(beforeId) }) },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  findCustom(tx: Transaction, id: number): Promise<Role | null> {
    return this.managerFor(tx).findOneBy(Role, { id, isBuiltIn: false });
  }

  /** The custom role, which nobody else changes until the transaction ends. */
  findCustomForUpdate(tx: Transaction, id: number): Promise<Role | null> {
    return this.managerFor(tx).findOne(Role, { where: { id, isBuiltIn: false }, lock: { mode: 'pessimistic_write' } });
  }

  /** Any role, built-in or custom, which stays until the transaction ends. */
  find(tx: Transaction, id: number): Promise<Role | null> {
    return this.managerFor(tx).findOne(Role, { where: { id }, lock: { mode: 'for_key_share' } });
  }

  /** Roles with these ids, built-in and custom, which stay until the transaction ends. */
  findByIds(tx: Transaction, ids: readonly number[]): Promise<Role[]> {
    const lock = { mode: 'for_key_share' } as const;
    return this.managerFor(tx).find(Role, { where: { id: In([...ids]) }, order: { id: 'ASC' }, lock });
  }

  /** Roles of these names, built-in and custom, which stay until the transaction ends. */
  findByNames(tx: Transaction, names: readonly string[]): Promise<Role[]> {
    return this.managerFor(tx).find(Role, { where: { name: In([...names]) }, lock: { mode: 'for_key_share' } });
  }

  /** @throws AppError `role.name_taken` (409). */
  update(tx: Transaction, role: Role): Promise<Role> {
    return this.uniquelyNamed(() => this.managerFor(tx).save(Role, { ...role, updatedAt: new Date() }));
  }

  /** Deletes the custom role with all of its assignments. */
  async delete(tx: Transaction, id: number): Promise<boolean> {
    const { affected } = await this.managerFor(tx).delete(Role, { id, isBuiltIn: false });
    return affected === 1;
  }

  async assign(tx: Transaction, assignment: RoleAssignment): Promise<void> {
    await this.managerFor(tx)
      .createQueryBuilder()
      .insert()
      .into(RoleAssignment)
      .values(assignment)
      .orIgnore()
      .execute();
  }

  async unassign(tx: Transaction, roleId: number, userId: number): Promise<void> {
    await this.managerFor(tx).delete(RoleAssignment, { roleId, userId });
  }

  async assignToGroup(tx: Transaction, assignment: GroupRoleAssignment): Promise<void> {
    await this.managerFor(tx)
      .createQueryBuilder()
      .insert()
      .into(GroupRoleAssignment)
      .values(assignment)
      .orIgnore()
      .execute();
  }

  async unassignFromGroup(tx: Transaction, roleId: number, groupId: number): Promise<void> {
    await this.managerFor(tx).delete(GroupRoleAssignment, { roleId, groupId });
  }

  async unassignAll(tx: Transaction, userId: number): Promise<void> {
    await this.managerFor(tx).delete(RoleAssignment, { userId });
  }

  /** For work across tenants: the role of this name, in whatever case. */
  findNamed(tx: Transaction, tenantId: number, name: string): Promise<Role | null> {
    return this.managerFor(tx)
      .createQueryBuilder(Role, 'role')
      .where('role.tenantId = :tenantId and lower(role.name) = lower(:name)', { tenantId, name })
      .getOne();
  }

  /** For work across tenants: built-in and custom roles, oldest first. */
  listAcrossTenants(tx: Transaction, tenantId: number, limit: number): Promise<Role[]> {
    return this.managerFor(tx).find(Role, { where: { tenantId }, order: { id: 'ASC' }, take: limit });
  }

  private uniquelyNamed<T>(write: () => Promise<T>): Promise<T> {
    const taken = () => new AppError('role.name_taken', 'Another role has this name');
    return this.mapUnique({ role_tenant_id_name_unique: taken }, write);
  }
}
