import type { Branch } from './branch.entity';
import type { BuildRequest } from './branch-followers';
import type { RepositorySettings } from '../repositories/repositories.repository';

/**
 * The build that new content of a branch calls for: production in git mode (in cli mode only an upload builds it), and
 * branches with a staging environment that stays active.
 */
export function buildAfter(
  { tenantId, deploymentId, deployMode }: RepositorySettings,
  branch: Branch,
  content: Pick<BuildRequest, 'commitHash' | 'treeHash'>,
): BuildRequest | undefined {
  const builds = branch.kind === 'deploy' ? deployMode === 'git' : branch.isStagingEnvironmentEnabled;
  return builds ? { tenantId, deploymentId, branchName: branch.name, ...content } : undefined;
}
