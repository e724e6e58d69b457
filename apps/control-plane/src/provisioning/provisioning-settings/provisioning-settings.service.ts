import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { invalidRequest } from '@plinth/errors';
import { isAdminRole, RolesRepository } from '../../rights';
import { ProvisioningSettingsRepository, type GroupRole } from './provisioning-settings.repository';

/** Which roles users get from an identity provider. Admin is never among them. */
@Injectable()
export class ProvisioningSettingsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly settings: ProvisioningSettingsRepository,
    private readonly roles: RolesRepository,
  ) {}

  async get(principal: Principal): Promise<ReplyOf<'getScimSettings'>> {
    return this.database.transaction(principal.tenantId, (tx) => this.shown(tx, principal.tenantId));
  }

  /** What is absent stays as it is; `groupRoles` replaces the whole list. */
  async update(
    principal: Principal,
    { defaultRoleId, groupRoles }: BodyOf<'updateScimSettings'>,
  ): Promise<ReplyOf<'updateScimSettings'>> {
    const { tenantId } = principal;
    return this.database.mutate(principal, async (tx) => {
      await this.settings.hold(tx, tenantId);
      if (defaultRoleId !== undefined) await this.setDefaultRole(tx, tenantId, defaultRoleId);
      if (groupRoles !== undefined) await this.setGroupRoles(tx, tenantId, groupRoles);
      return this.shown(tx, tenantId);
    });
  }

  private async setDefaultRole(tx: Transaction, tenantId: number, roleId: number | null): Promise<void> {
    if (roleId !== null) await this.requireGivable(tx, [{ roleId, path: '/body/defaultRoleId' }]);
    await this.settings.setDefaultRole(tx, tenantId, roleId);
  }

  private async setGroupRoles(tx: Transaction, tenantId: number, wanted: readonly GroupRole[]): Promise<void> {
    const places = wanted.map(({ roleId }, index) => ({ roleId, path: `/body/groupRoles/${index}/roleId` }));
    await this.requireGivable(tx, places);
    const repeated = await this.settings.replaceGroupRoles(tx, tenantId, wanted);
    if (repeated === undefined) return;
    throw invalidRequest(`/body/groupRoles/${repeated}/groupName`, 'names a group that another entry has named');
  }

  private async requireGivable(tx: Transaction, places: readonly { roleId: number; path: string }[]): Promise<void> {
    const ids = [...new Set(places.map(({ roleId }) => roleId))];
    const found = new Map((await this.roles.findByIds(tx, ids)).map((role) => [role.id, role]));
    for (const { roleId, path } of places) {
      const role = found.get(roleId);
      if (!role) throw invalidRequest(path, 'is not the id of a role');
      if (isAdminRole(role)) throw invalidRequest(path, 'is the role Admin, which provisioning does not give');
    }
  }

  private async shown(tx: Transaction, tenantId: number): Promise<Schemas['ScimSettings']> {
    const defaultRoleId = await this.settings.defaultRoleId(tx, tenantId);
    const groupRoles = await this.settings.groupRoles(tx, tenantId);
    const roles = await this.settings.roles(tx, [defaultRoleId, ...groupRoles.map(({ roleId }) => roleId)]);
    return { defaultRoleId, groupRoles, roles };
  }
}
