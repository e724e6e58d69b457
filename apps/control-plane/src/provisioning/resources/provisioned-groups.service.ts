import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, recordAction, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { applyChanges, GROUP, versionOf, type Change, type Resource } from '@plinth/scim-protocol';
import { AccessChanges } from '../../kernel';
import {
  groupNotFound,
  isReservedGroupName,
  type UserGroup,
  UserGroupsRepository,
  UsersRepository,
} from '../../people';
import { ProvisionedGroupsRepository } from './provisioned-groups.repository';
import { ProvisioningSwitch } from './provisioning-switch';
import { requireVersion } from './resource-version';
import { toSelection } from './selection';

type Shown = Schemas['ProvisionedGroup'];
type MemberChange = Schemas['MemberChange'];

interface Target {
  id: number;
  version?: string;
  withMembers?: boolean;
}

interface GroupChange {
  name: string;
  externalId: string | null;
  members: readonly MemberChange[];
}

/** What identity providers do with groups. */
@Injectable()
export class ProvisionedGroupsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly provisioning: ProvisioningSwitch,
    private readonly users: UsersRepository,
    private readonly groups: UserGroupsRepository,
    private readonly provisioned: ProvisionedGroupsRepository,
    private readonly changes: AccessChanges,
  ) {}

  async find(principal: Principal, body: BodyOf<'findProvisionedGroups'>): Promise<ReplyOf<'findProvisionedGroups'>> {
    const baseUrl = await this.provisioning.enter(principal);
    const { tenantId } = principal;
    const { total, ids } = await this.provisioned.select(this.database, tenantId, toSelection(body));
    if (ids.length === 0) return { total, items: [] };
    const items = await this.database.transaction(tenantId, async (tx) =>
      this.shown(tx, await this.provisioned.find(tx, ids), baseUrl),
    );
    return { total, items };
  }

  async get(principal: Principal, target: Target): Promise<Shown> {
    const baseUrl = await this.provisioning.enter(principal);
    return this.database.transaction(principal.tenantId, (tx) => this.one(tx, target, baseUrl));
  }

  async listMembers(
    principal: Principal,
    { groupIds, after, limit }: BodyOf<'listProvisionedMembers'>,
  ): Promise<ReplyOf<'listProvisionedMembers'>> {
    await this.provisioning.enter(principal);
    const items = await this.database.transaction(principal.tenantId, (tx) =>
      this.provisioned.listMembers(tx, groupIds, after, limit),
    );
    return { items };
  }

  async create(principal: Principal, body: BodyOf<'createProvisionedGroup'>): Promise<Shown> {
    const baseUrl = await this.provisioning.enter(principal);
    requireOrdinaryName(body.displayName);
    return this.changes.mutate(principal, async (tx) => {
      const { displayName: name, externalId = null, memberIds } = body;
      const group = await this.provisioned.insert(tx, { tenantId: principal.tenantId, name, externalId });
      await this.applyMembers(tx, principal, group, [{ op: 'add', ids: memberIds }]);
      return this.one(tx, { id: group.id, withMembers: true }, baseUrl);
    });
  }

  replace(principal: Principal, body: BodyOf<'replaceProvisionedGroup'>): Promise<Shown> {
    const { displayName: name, externalId = null, memberIds } = body;
    const members: MemberChange[] = memberIds ? [{ op: 'replace', ids: memberIds }] : [];
    return this.change(principal, body, () => ({ name, externalId, members }));
  }

  patch(principal: Principal, body: BodyOf<'patchProvisionedGroup'>): Promise<Shown> {
    return this.change(principal, body, (group) => {
      const { displayName, externalId } =
        applyChanges(resourceOf(group), body.changes as unknown as Change[])[GROUP] ?? {};
      return { name: String(displayName), externalId: externalId ? String(externalId) : null, members: body.members };
    });
  }

  async delete(principal: Principal, { id, version }: Target): Promise<ReplyOf<'deleteProvisionedGroup'>> {
    await this.provisioning.enter(principal);
    return this.changes.mutate(principal, async (tx) => {
      requireVersion(versionOf((await this.existing(tx, id)).updatedAt), version);
      await this.groups.delete(tx, id);
      return {};
    });
  }

  private async change(principal: Principal, target: Target, next: (group: UserGroup) => GroupChange): Promise<Shown> {
    const baseUrl = await this.provisioning.enter(principal);
    return this.changes.mutate(principal, async (tx) => {
      const group = await this.existing(tx, target.id);
      requireVersion(versionOf(group.updatedAt), target.version);
      const { name, externalId, members } = next(group);
      const isRenamed = name !== group.name;
      if (isRenamed) requireOrdinaryName(name);
      const hasMoved = await this.applyMembers(tx, principal, { ...group, name }, members);
      if (isRenamed || hasMoved || externalId !== group.externalId) {
        await this.provisioned.save(tx, { ...group, name, externalId });
      }
      return this.one(tx, target, baseUrl);
    });
  }

  /** Whether anybody came or went. Roles go with the name that the group has afterwards. */
  private async applyMembers(
    tx: Transaction,
    principal: Principal,
    group: UserGroup,
    changes: readonly MemberChange[],
  ): Promise<boolean> {
    let hasMoved = false;
    for (const { op, ids } of changes) {
      const userIds = ids.map(userIdOf);
      if (op === 'remove') {
        hasMoved = (await this.provisioned.removeMembers(tx, group, userIds)) || hasMoved;
        continue;
      }
      const known = await this.users.hold(tx, userIds);
      const unknown = userIds.findIndex((id) => !known.has(id));
      if (unknown >= 0) throw new AppError('scim.invalid_value', `There is no user ${ids[unknown] ?? ''}`);
      if (op === 'replace') hasMoved = (await this.provisioned.removeOthers(tx, group, userIds)) || hasMoved;
      const { addedCount, roleId, givenCount, givenTo } = await this.provisioned.addMembers(tx, group, userIds);
      hasMoved = addedCount > 0 || hasMoved;
      if (roleId === null) continue;
      const attributes = { roleId, groupId: group.id, userCount: givenCount, userIds: givenTo };
      recordAction(tx, principal, { event: 'Assigned role to user', attributes });
    }
    return hasMoved;
  }

  private async existing(tx: Transaction, id: number): Promise<UserGroup> {
    const group = await this.provisioned.findForUpdate(tx, id);
    if (!group) throw groupNotFound();
    return group;
  }

  private async one(tx: Transaction, { id, withMembers = false }: Target, baseUrl: string): Promise<Shown> {
    const [group] = await this.shown(tx, await this.provisioned.find(tx, [id]), baseUrl, withMembers);
    if (!group) throw groupNotFound();
    return group;
  }

  private async shown(
    tx: Transaction,
    groups: readonly UserGroup[],
    baseUrl: string,
    withMembers = false,
  ): Promise<Shown[]> {
    const ids = groups.map(({ id }) => id);
    const members = withMembers ? await this.provisioned.membersOf(tx, ids) : [];
    return groups.map((group) => ({
      id: group.id,
      baseUrl,
      displayName: group.name,
      externalId: group.externalId,
      ...(withMembers && {
        members: members.filter(({ groupId }) => groupId === group.id).map(({ id, display }) => ({ id, display })),
      }),
      created: group.createdAt.toISOString(),
      lastModified: group.updatedAt.toISOString(),
      version: versionOf(group.updatedAt),
    }));
  }
}

const resourceOf = ({ name, externalId }: UserGroup): Resource => ({
  [GROUP]: { displayName: name, ...(externalId !== null && { externalId }) },
});

/** 0, which nobody has, for an id that this service never gave out. */
const userIdOf = (id: string): number => (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0);

function requireOrdinaryName(name: string): void {
  if (isReservedGroupName(name)) throw new AppError('scim.invalid_value', `${name} is a reserved name`);
}
