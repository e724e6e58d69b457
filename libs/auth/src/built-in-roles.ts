import type { Action, Policy } from './actions';

/** Roles that every tenant has, from the most to the least. */
export const builtInRoles = ['Admin', 'Developer', 'Explorer', 'Viewer'] as const;

export type BuiltInRole = (typeof builtInRoles)[number];

const account = (...allowed: Action[]): Policy => ({ resourceType: 'Global', actions: allowed, resources: ['All'] });
const everyDeployment = (...allowed: Action[]): Policy => ({
  resourceType: 'Deployment',
  actions: allowed,
  resources: ['All'],
});

/** What the built-in roles grant; docs/permissions.md has the reasons. */
export const builtInPolicies: Readonly<Record<BuiltInRole, readonly Policy[]>> = {
  Admin: [account('All'), everyDeployment('All')],
  Developer: [account('AIBIDevelop', 'DeploymentsManage'), everyDeployment('All')],
  Explorer: [
    account('AIBIExplore'),
    everyDeployment('DeploymentRead', 'DeploymentAgentRead', 'DownloadData', 'PlaygroundRead'),
  ],
  Viewer: [account('AIBIView'), everyDeployment('DeploymentRead', 'DeploymentAgentRead', 'DownloadData')],
};

const foreignNames = ['AIBIDeveloper', 'AIBIUser', 'AIBIViewer', 'D3User', 'EmbedUser', 'Guest'];
const reservedNames = new Set([...builtInRoles, ...foreignNames].map((name) => name.toLowerCase()));

/** Whether no custom role may take the name, in whatever case. */
export const isReservedRoleName = (name: string): boolean => reservedNames.has(name.trim().toLowerCase());
