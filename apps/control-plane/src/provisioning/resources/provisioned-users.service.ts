import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import {
  applyChanges,
  CUSTOM,
  requireComplete,
  USER,
  versionOf,
  type Change,
  type Resource,
} from '@plinth/scim-protocol';
import { AccessChanges } from '../../kernel';
import { ProvisioningSettingsRepository } from '../provisioning-settings/provisioning-settings.repository';
import { RolesRepository } from '../../rights';
import { UserGroupsRepository, UserLifecycle, userNotFound, UsersRepository } from '../../people';
import { CustomAttributes } from './custom-attributes.service';
import { accountOf, resourceOf, type ProfiledUser } from './provisioned-profile';
import { ProvisionedUsersRepository } from './provisioned-users.repository';
import { ProvisioningSwitch } from './provisioning-switch';
import { requireVersion } from './resource-version';
import { toSelection } from './selection';

interface Target {
  id: number;
  version?: string;
}

/** What identity providers do with users. */
@Injectable()
export class ProvisionedUsersService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly provisioning: ProvisioningSwitch,
    private readonly users: UsersRepository,
    private readonly provisioned: ProvisionedUsersRepository,
    private readonly lifecycle: UserLifecycle,
    private readonly roles: RolesRepository,
    private readonly settings: ProvisioningSettingsRepository,
    private readonly custom: CustomAttributes,
    private readonly groups: UserGroupsRepository,
    private readonly changes: AccessChanges,
  ) {}

  async find(principal: Principal, body: BodyOf<'findProvisionedUsers'>): Promise<ReplyOf<'findProvisionedUsers'>> {
    const baseUrl = await this.provisioning.enter(principal);
    const { tenantId } = principal;
    const { total, ids } = await this.provisioned.select(this.database, tenantId, toSelection(body));
    if (ids.length === 0) return { total, items: [] };
    const items = await this.database.transaction(tenantId, (tx) => this.shown(tx, ids, baseUrl));
    return { total, items };
  }

  async get(principal: Principal, { id }: Target): Promise<Schemas['ProvisionedUser']> {
    const baseUrl = await this.provisioning.enter(principal);
    return this.database.transaction(principal.tenantId, (tx) => this.one(tx, id, baseUrl));
  }

  /** The user signs in at the identity provider alone and has the role that the tenant gives to new users, whatever the body says. */
  async create(principal: Principal, body: BodyOf<'createProvisionedUser'>): Promise<Schemas['ProvisionedUser']> {
    const baseUrl = await this.provisioning.enter(principal);
    const resource = body.resource as Resource;
    const { columns, profile } = accountOf(resource);
    const { email = '' } = columns;
    const deactivatedAt = resource[USER]?.['active'] === false ? new Date() : null;
    return this.changes.mutate(principal, async (tx) => {
      const { tenantId } = principal;
      const account = { ...columns, tenantId, email, deactivatedAt, isAdmin: false, isExternal: true };
      const user = await this.users.insert(tx, { ...account, joinedAt: new Date() });
      await this.provisioned.setProfile(tx, user.id, profile);
      await this.roles.assign(tx, {
        tenantId,
        userId: user.id,
        roleId: await this.settings.defaultRoleId(tx, tenantId),
      });
      await this.custom.write(tx, user, {}, await this.custom.ofResource(tx, resource));
      return this.one(tx, user.id, baseUrl);
    });
  }

  /** What is absent is cleared, apart from whether the user is active and the facts that the tenant keeps. */
  replace(principal: Principal, body: BodyOf<'replaceProvisionedUser'>): Promise<Schemas['ProvisionedUser']> {
    const wanted = body.resource as Resource;
    return this.change(principal, body, isInactive(wanted), async (tx, before) => {
      const { [CUSTOM]: facts, ...named } = await this.custom.ofResource(tx, wanted);
      const kept = { ...before[CUSTOM], ...facts };
      return { ...named, ...(Object.keys(kept).length > 0 && { [CUSTOM]: kept }) };
    });
  }

  patch(principal: Principal, body: BodyOf<'patchProvisionedUser'>): Promise<Schemas['ProvisionedUser']> {
    const changes = body.changes as unknown as Change[];
    const deactivates = changes.some(({ path, value }) => path.name === 'active' && value !== true);
    return this.change(principal, body, deactivates, async (tx, before) =>
      applyChanges(before, await this.custom.ofChanges(tx, changes)),
    );
  }

  async delete(principal: Principal, { id, version }: Target): Promise<ReplyOf<'deleteProvisionedUser'>> {
    await this.provisioning.enter(principal);
    return this.changes.mutate(principal, async (tx) => {
      await this.lifecycle.requireDispensable(tx, principal, id);
      await this.existing(tx, id);
      if (version !== undefined) requireVersion((await this.one(tx, id, '')).version, version);
      await this.lifecycle.delete(tx, principal, id);
      return {};
    });
  }

  private async change(
    principal: Principal,
    { id, version }: Target,
    deactivates: boolean,
    next: (tx: Transaction, before: Resource) => Promise<Resource>,
  ): Promise<Schemas['ProvisionedUser']> {
    const baseUrl = await this.provisioning.enter(principal);
    return this.changes.mutate(principal, async (tx) => {
      if (deactivates) await this.lifecycle.requireDispensable(tx, principal, id);
      const found = await this.existing(tx, id);
      if (version !== undefined) requireVersion((await this.one(tx, id, baseUrl)).version, version);
      const before = { ...resourceOf(found), ...(await this.custom.read(tx, [id])).get(id) };
      const after = keepingAccess(before, await next(tx, before));
      requireComplete('User', after);
      if (!isDeepStrictEqual(before, after)) {
        await this.save(tx, found, after);
        await this.custom.write(tx, found.user, before, after);
      }
      return this.one(tx, id, baseUrl);
    });
  }

  private async save(tx: Transaction, { user }: ProfiledUser, after: Resource): Promise<void> {
    const { columns, profile } = accountOf(after);
    if (columns.username !== user.username) await this.groups.touchOfUser(tx, user.id);
    const deactivatedAt = isInactive(after) ? (user.deactivatedAt ?? new Date()) : null;
    // Who signs in here keeps the address to do it with.
    const email = columns.email || (user.isExternal ? '' : user.email);
    await this.users.save(tx, { ...user, ...columns, email, deactivatedAt });
    if (deactivatedAt && !user.deactivatedAt) await this.lifecycle.signOutEverywhere(tx, user.id);
    await this.provisioned.setProfile(tx, user.id, profile);
  }

  /** The user, whom nobody else changes before the transaction ends. */
  private async existing(tx: Transaction, id: number): Promise<ProfiledUser> {
    await this.users.findForUpdate(tx, id);
    const [found] = await this.provisioned.find(tx, [id]);
    if (!found) throw userNotFound(id);
    return found;
  }

  private async one(tx: Transaction, id: number, baseUrl: string): Promise<Schemas['ProvisionedUser']> {
    const [user] = await this.shown(tx, [id], baseUrl);
    if (!user) throw userNotFound(id);
    return user;
  }

  private async shown(tx: Transaction, ids: readonly number[], baseUrl: string): Promise<Schemas['ProvisionedUser'][]> {
    const found = await this.provisioned.find(tx, ids);
    const memberships = await this.provisioned.groupsOf(tx, ids);
    const facts = await this.custom.read(tx, ids);
    return found.map((each) => {
      const { id, createdAt, updatedAt } = each.user;
      const groups = memberships
        .filter(({ userId }) => userId === id)
        .map(({ id: groupId, display }) => ({ id: groupId, display }));
      const known = facts.get(id);
      return {
        id,
        baseUrl,
        resource: { ...resourceOf(each), ...known },
        groups,
        created: createdAt.toISOString(),
        lastModified: updatedAt.toISOString(),
        version: versionOf(updatedAt, groups, Object.entries(known?.[CUSTOM] ?? {})),
      };
    });
  }
}

/** Without a word on whether the user is active, that stays as it is: silence must give nobody access back. */
function keepingAccess(before: Resource, after: Resource): Resource {
  const active = after[USER]?.['active'] ?? before[USER]?.['active'] ?? true;
  return { ...after, [USER]: { ...after[USER], active } };
}

const isInactive = (resource: Resource): boolean => resource[USER]?.['active'] === false;
