import { actionNames, describeAction, type Action, type Policy } from './actions';
import type { Grant } from './principal';

/** Deployments that an action is held on; null for all of them. */
type Reach = ReadonlySet<number> | null;

/** A grant that is nobody else's yet. */
type OwnGrant = Grant & { deploymentIds: number[] | null };

/**
 * What policies allow together, one grant an action. Two rules hold for all of them: without a licence tier nothing is
 * allowed, and an action on a deployment counts only where `DeploymentRead` opens the deployment.
 */
export function grantsOf(policies: readonly Policy[]): OwnGrant[] {
  const held = new Map<Action, Reach>();
  for (const policy of policies) {
    if (policy.resourceType === 'Global') allow(held, accountActions(policy), null);
    if (policy.resourceType === 'Deployment') allow(held, deploymentActions(policy), reachOf(policy));
  }
  if (!held.has('AIBIView')) return [];
  const opened = held.get('DeploymentRead') ?? (held.has('DeploymentRead') ? null : new Set<number>());
  return [...held]
    .map(([action, reach]) => [action, isGlobal(action) ? reach : intersection(reach, opened)] as const)
    .filter(([, reach]) => reach === null || reach.size > 0)
    .map(([action, reach]) => ({ action, deploymentIds: reach && [...reach] }));
}

const isGlobal = (action: Action): boolean => describeAction(action).level === 'global';

const accountActions = ({ actions }: Policy): Action[] =>
  actions.includes('All') ? actionNames.filter(isGlobal) : actions.filter(isGlobal);

const deploymentActions = ({ actions }: Policy): Action[] => actions.filter((action) => !isGlobal(action));

const reachOf = ({ resources }: Policy): Reach => (resources.includes('All') ? null : new Set(resources.map(Number)));

/** Adds the actions and all that comes with them. Implications have no cycles. */
function allow(held: Map<Action, Reach>, actions: readonly Action[], reach: Reach): void {
  for (const action of actions) {
    const before = held.get(action);
    held.set(action, before === undefined ? reach : union(before, reach));
    allow(held, describeAction(action).implies ?? [], reach);
  }
}

const union = (left: Reach, right: Reach): Reach => left && right && new Set([...left, ...right]);

const intersection = (left: Reach, right: Reach): Reach => {
  if (left === null || right === null) return left ?? right;
  return new Set([...left].filter((id) => right.has(id)));
};
