import type { Policy } from './actions';
import { builtInPolicies } from './built-in-roles';
import { grantsOf } from './grants';

const embedded: Policy = { resourceType: 'Deployment', actions: ['EmbedDeploymentRead'], resources: ['All'] };

const viewer: readonly Policy[] = [
  { resourceType: 'Global', actions: ['AIBIView'], resources: ['All'] },
  { ...embedded, actions: ['DeploymentRead', 'EmbedDeploymentRead'] },
];

const creator: readonly Policy[] = [...builtInPolicies.Explorer, embedded];

/**
 * What embed users may do in a session: read what is shared with them, or, in creator mode, what Explorer may. All of it
 * holds on the deployment of the session alone.
 */
export const embedGrants = (deploymentId: number, isCreator: boolean): ReturnType<typeof grantsOf> =>
  grantsOf((isCreator ? creator : viewer).map((policy) => on(deploymentId, policy)));

const on = (deploymentId: number, policy: Policy): Policy =>
  policy.resourceType === 'Deployment' ? { ...policy, resources: [String(deploymentId)] } : policy;
