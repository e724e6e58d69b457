/** Name of a deployment's repository in the store. */
export const repositoryId = (tenantId: number, deploymentId: number): string => `t${tenantId}-d${deploymentId}`;

/** Whose repository it is. */
export function ownerOf(id: string): { tenantId: number; deploymentId: number } {
  const [, tenantId, deploymentId] = /^t(\d+)-d(\d+)$/.exec(id) ?? [];
  if (tenantId === undefined) throw new TypeError(`Not the repository of a deployment: ${id}`);
  return { tenantId: Number(tenantId), deploymentId: Number(deploymentId) };
}
