import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { PathOf, ReplyOf } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { AccessChanges } from '../../kernel';
import { groupNotFound, UserGroupsRepository, userNotFound, UsersRepository } from '../../people';
import { isAdminRole } from './role.entity';
import { RolesRepository } from './roles.repository';
import { roleNotFound } from './roles.service';

/** Who holds roles. Every operation can be repeated, and none is about the role Admin. */
@Injectable()
export class RoleAssignmentsService {
  constructor(
    private readonly changes: AccessChanges,
    private readonly roles: RolesRepository,
    private readonly users: UsersRepository,
    private readonly groups: UserGroupsRepository,
  ) {}

  assignToUser(principal: Principal, path: PathOf<'assignRoleToUser'>): Promise<ReplyOf<'assignRoleToUser'>> {
    return this.change(principal, async (tx) => {
      await this.requireAssignable(tx, path.roleId);
      await this.requireUser(tx, path.userId);
      await this.roles.assign(tx, { tenantId: principal.tenantId, ...path });
    });
  }

  removeFromUser(
    principal: Principal,
    { roleId, userId }: PathOf<'removeRoleFromUser'>,
  ): Promise<ReplyOf<'removeRoleFromUser'>> {
    return this.change(principal, async (tx) => {
      await this.requireNotAdmin(tx, roleId);
      await this.requireUser(tx, userId);
      await this.roles.unassign(tx, roleId, userId);
    });
  }

  assignToGroup(principal: Principal, path: PathOf<'assignRoleToGroup'>): Promise<ReplyOf<'assignRoleToGroup'>> {
    return this.change(principal, async (tx) => {
      await this.requireAssignable(tx, path.roleId);
      await this.requireGroup(tx, path.groupId);
      await this.roles.assignToGroup(tx, { tenantId: principal.tenantId, ...path });
    });
  }

  removeFromGroup(
    principal: Principal,
    { roleId, groupId }: PathOf<'removeRoleFromGroup'>,
  ): Promise<ReplyOf<'removeRoleFromGroup'>> {
    return this.change(principal, async (tx) => {
      await this.requireNotAdmin(tx, roleId);
      await this.requireGroup(tx, groupId);
      await this.roles.unassignFromGroup(tx, roleId, groupId);
    });
  }

  private async change(principal: Principal, work: (tx: Transaction) => Promise<void>): Promise<undefined> {
    await this.changes.mutate(principal, work);
    return undefined;
  }

  private async requireAssignable(tx: Transaction, roleId: number): Promise<void> {
    const role = await this.roles.find(tx, roleId);
    if (!role || isAdminRole(role)) throw roleNotFound();
  }

  /** What is taken away may be gone already. */
  private async requireNotAdmin(tx: Transaction, roleId: number): Promise<void> {
    const role = await this.roles.find(tx, roleId);
    if (role && isAdminRole(role)) throw roleNotFound();
  }

  private async requireUser(tx: Transaction, id: number): Promise<void> {
    if (!(await this.users.hold(tx, [id])).has(id)) throw userNotFound(id);
  }

  private async requireGroup(tx: Transaction, id: number): Promise<void> {
    if (!(await this.groups.hold(tx, id))) throw groupNotFound();
  }
}
