import { Inject, Injectable } from '@nestjs/common';
import { grantsOf, type Policy } from '@plinth/auth';
import { Database, type Reader, type Transaction } from '@plinth/database';
import { policiesOf } from '../roles/role.entity';
import {
  EffectivePoliciesRepository,
  type HeldPolicy,
  type HeldRole,
  type Holdings,
} from './effective-policies.repository';

/** What a user holds and what follows from it. */
export interface EffectiveAccess {
  /** Built-in and custom roles, direct and through groups; an administrator has Admin among them. */
  roles: HeldRole[];
  /** From all roles, and from policies for the user, for groups of theirs and for everybody. */
  policies: Policy[];
}

/** Tells what a user may do, from everything that gives rights. */
@Injectable()
export class EffectivePolicies {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly holdings: EffectivePoliciesRepository,
  ) {}

  /** Everything that applies to the user. */
  async of(from: Reader, userId: number): Promise<EffectiveAccess> {
    const holdings = await this.holdings.find(from, userId);
    return { roles: holdings.roles, policies: policiesIn(holdings) };
  }

  /** The rights that travel with the user's credentials. */
  async grants(tenantId: number, userId: number): Promise<ReturnType<typeof grantsOf>> {
    return grantsOf(policiesIn(await this.holdings.findForGrants(this.database, tenantId, userId)));
  }

  /** The roles of each of the users; a user without any is missing. */
  roles(tx: Transaction, userIds: readonly number[]): Promise<Map<number, HeldRole[]>> {
    return this.holdings.findRoles(tx, userIds);
  }
}

const policiesIn = ({ roles, policies }: Holdings): Policy[] => [...roles.flatMap(policiesOf), ...merged(policies)];

/** One policy for each kind of resource and action. */
function merged(policies: readonly HeldPolicy[]): Policy[] {
  const byAction = new Map<string, Policy>();
  for (const { resourceType, resourceId, action } of policies) {
    const resource = resourceType === 'Global' ? 'All' : String(resourceId);
    const known = byAction.get(`${resourceType}:${action}`);
    if (known) known.resources.push(resource);
    else byAction.set(`${resourceType}:${action}`, { resourceType, actions: [action], resources: [resource] });
  }
  return [...byAction.values()];
}
