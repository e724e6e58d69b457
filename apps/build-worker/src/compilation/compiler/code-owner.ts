/**
 * Whose code a data model is: everybody's who may change the branch it comes from. What one owner's code left behind, or
 * said of itself, counts for no other.
 */
export interface CodeOwner {
  tenantId: number;
  deploymentId: number;
  /** The deploy branch and the shared ones stand for the deployment; a dev branch is one person's, and stands for itself. */
  trust: 'shared' | `dev branch ${number}`;
}

/** What owners are told apart by. */
export const ownerKey = ({ tenantId, deploymentId, trust }: CodeOwner): string =>
  JSON.stringify([tenantId, deploymentId, trust]);

/** The trust of a branch. */
export const trustOf = ({ id, kind }: { id: number; kind: 'deploy' | 'shared' | 'dev' }): CodeOwner['trust'] =>
  kind === 'dev' ? `dev branch ${id}` : 'shared';
