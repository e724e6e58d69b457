import { Inject, Injectable } from '@nestjs/common';
import { type Action, describeAction, type Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { AccessChanges } from '../../kernel';
import { UserGroupsRepository, UsersRepository } from '../../people';
import { ResourcePoliciesRepository, type Holder, type Resource } from './resource-policies.repository';

/** Actions on single resources. Those on the account and on deployments are enforced everywhere, others by the owner. */
@Injectable()
export class ResourcePoliciesService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly changes: AccessChanges,
    private readonly policies: ResourcePoliciesRepository,
    private readonly users: UsersRepository,
    private readonly groups: UserGroupsRepository,
  ) {}

  async list(principal: Principal, query: QueryOf<'getResourcePolicies'>): Promise<ReplyOf<'getResourcePolicies'>> {
    const resource = resourceOf(query);
    const page = await keysetList(query, {
      name: 'resource-policies',
      filters: resource,
      positionOf: byId,
      read: (limit, [afterId]) =>
        this.database.transaction(principal.tenantId, (tx) => this.policies.list(tx, resource, limit, afterId)),
    });
    return { ...page, items: page.items.map(({ userId, groupId, action }) => ({ userId, groupId, action })) };
  }

  setForUser(
    principal: Principal,
    { userId, action, ...resource }: BodyOf<'setUserResourcePolicy'>,
  ): Promise<ReplyOf<'setUserResourcePolicy'>> {
    return this.set(principal, resourceOf(resource), { userId: userId ?? null, groupId: null }, action);
  }

  setForGroup(
    principal: Principal,
    { groupId, action, ...resource }: BodyOf<'setGroupResourcePolicy'>,
  ): Promise<ReplyOf<'setGroupResourcePolicy'>> {
    return this.set(principal, resourceOf(resource), { userId: null, groupId }, action);
  }

  private async set(principal: Principal, resource: Resource, holder: Holder, action?: Action) {
    if (action !== undefined) checkAction(resource, action);
    return this.changes.mutate(principal, async (tx) => {
      if (!(await this.hold(tx, holder))) throw holderNotFound(holder);
      if (action === undefined) await this.policies.clear(tx, { ...resource, ...holder });
      else await this.policies.set(tx, principal.tenantId, { ...resource, ...holder, action });
      return { success: true };
    });
  }

  /** Whether the holder exists; if so, until the transaction ends. */
  private async hold(tx: Transaction, { userId, groupId }: Holder): Promise<boolean> {
    if (userId !== null) return (await this.users.hold(tx, [userId])).has(userId);
    return groupId === null || this.groups.hold(tx, groupId);
  }
}

/** The account is one resource, whatever id it is given. */
const resourceOf = ({ resourceType, resourceId }: Resource): Resource => ({
  resourceType,
  resourceId: resourceType === 'Global' ? 0 : resourceId,
});

function checkAction({ resourceType }: Resource, action: Action): void {
  const isGlobal = action !== 'All' && describeAction(action).level === 'global';
  if (action === 'All' || isGlobal === (resourceType === 'Global')) return;
  throw invalidRequest('/body/action', `does not apply to a resource of the type ${resourceType}`);
}

const holderNotFound = ({ userId }: Holder): AppError =>
  userId === null
    ? new AppError('user_group.not_found', 'There is no such user group')
    : new AppError('user.not_found', 'There is no such user');
