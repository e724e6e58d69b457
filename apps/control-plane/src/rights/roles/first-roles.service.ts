import { Injectable } from '@nestjs/common';
import type { BodyOf } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { invalidRequest } from '@plinth/errors';
import { RolesRepository } from './roles.repository';
import type { User } from '../../people';

const ADMIN = 'Admin';
const DEFAULT_ROLES = ['Viewer'];

type NewUser = Pick<BodyOf<'createUser'>, 'isAdmin' | 'defaultRoles'>;

/** Whether a new user administers the tenant: the role Admin is a property of the user, not an assignment. */
export const isAdminIn = ({ isAdmin, defaultRoles }: NewUser): boolean =>
  isAdmin ?? defaultRoles?.includes(ADMIN) ?? false;

/** The roles that a user begins with. */
@Injectable()
export class FirstRoles {
  constructor(private readonly roles: RolesRepository) {}

  /**
   * Gives a new user the roles of these names; without names, that of a viewer, which an administrator does not need.
   *
   * @throws AppError `request.invalid` (400) for a name that no role has.
   */
  async assign(tx: Transaction, user: User, names: readonly string[] | null | undefined): Promise<void> {
    const wanted = new Set(names ?? (user.isAdmin ? [] : DEFAULT_ROLES));
    wanted.delete(ADMIN);
    const found = await this.roles.findByNames(tx, [...wanted]);
    const unknown = [...wanted].find((name) => !found.some((role) => role.name === name));
    if (unknown !== undefined) throw invalidRequest('/body/defaultRoles', `names the unknown role ${unknown}`);
    for (const { id: roleId } of found) {
      await this.roles.assign(tx, { tenantId: user.tenantId, userId: user.id, roleId });
    }
  }
}
