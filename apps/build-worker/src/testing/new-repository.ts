import type { Database } from '@plinth/database';

/** A data model without a repository on the disk; returns the deployment's id. */
export async function newRepository(database: Database, tenantId: number): Promise<number> {
  const text = `insert into repository (deployment_id, tenant_id, deploy_mode, deploy_branch_name,
      deploy_branch_read_only, deploy_branch_merge_allowed, deploy_project_root)
    select coalesce(max(deployment_id), 0) + 1, $1, 'git', 'main', false, true, '' from repository
    returning deployment_id as "deploymentId"`;
  const [row] = await database.readAsSystem<{ deploymentId: number }>({ name: 'new-repository', text }, [tenantId]);
  if (!row) throw new Error('There is no new repository');
  return row.deploymentId;
}
