/** Name of a deployment's repository in the store. */
export const repositoryId = (tenantId: number, deploymentId: number): string => `t${tenantId}-d${deploymentId}`;
