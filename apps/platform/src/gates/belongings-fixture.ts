import type { Principal } from '@plinth/auth';
import type { Services } from './services-fixture';

/** Things of a tenant that operations ask for by these names. */
export type Belongings = Record<string, string | number> & {
  deploymentId: number;
  branchName: string;
  environmentId: string;
  apiKeyId: number;
  folderId: number;
  workbookId: number;
  versionId: number;
  embedTenantName: string;
  agentId: number;
};

/** What other operations want to be named. */
const elsewhere = {
  ...{ type: 'WORKBOOK', id: 1 },
  ...{ resourceType: 'Deployment', resourceId: 1, installationId: 1, state: 'state', code: 'code' },
  chatId: '0b7bd1b6-1f3c-4f0e-9d2a-8f5b7c1f6a11',
};

/** A deployment with an open dev branch, a report, a dbt sync and an agent, an API key, and an embed tenant. */
export async function newBelongings(services: Services, admin: Principal, name: string): Promise<Belongings> {
  const body = {
    name,
    region: 'local',
    cloudProvider: 'cubecloud' as const,
    targetPlatform: 'aws',
    isManaged: true,
    creationStep: 'project' as const,
    creationMethod: 'upload' as const,
  };
  const { id: deploymentId } = await services.call(admin, 'createDeployment', { body });
  const path = { deploymentId };
  await services.call(admin, 'createBranch', { path, body: { name: 'theirs' } });
  const { branchName } = await services.call(admin, 'startDevMode', { path, body: { branchName: 'theirs' } });
  const { items } = await services.call(admin, 'getDeploymentEnvironments', { path });
  const { id: apiKeyId } = await services.call(admin, 'createApiKey', { body: { name } });
  const { id: reportId } = await services.call(admin, 'createReport', { path, body: { name } });
  const environmentId = items[0]?.id ?? '';
  const { id: folderId } = await services.call(admin, 'createFolder', { path, body: { name } });
  // Nobody's yet: an upsert may make it.
  const publicId = `Gate${String(deploymentId).padStart(8, '0')}`;
  const content = { folderId, reportId, publicId, ...(await newDashboard(services, admin, deploymentId)) };
  const embedTenantName = `customer-${deploymentId}`;
  await services.call(admin, 'provisionEmbedUser', { path: { embedTenantName }, body: { externalId: 'ada' } });
  const url = 'https://git.example.com/dbt.git';
  await services.call(admin, 'putDbtSource', { path, body: { url } });
  const { syncJobId } = await services.call(admin, 'startDbtSync', { path });
  const { id: agentId } = await services.call(admin, 'createAgent', { path, body: { name } });
  return {
    deploymentId,
    syncJobId,
    branchName: branchName ?? '',
    environmentId,
    apiKeyId,
    embedTenantName,
    agentId,
    ...content,
    ...elsewhere,
  };
}

/** A workbook with a published dashboard, which is being exported. */
async function newDashboard(services: Services, admin: Principal, deploymentId: number) {
  const { id: workbookId } = await services.call(admin, 'createWorkbook', { path: { deploymentId }, body: {} });
  const request = { path: { deploymentId, workbookId }, body: { workbookId, config: {} } };
  const { id: dashboardId, versionId } = await services.call(admin, 'publishDashboard', request);
  const body = { dashboardId, format: 'png' as const };
  const { jobId } = await services.call(admin, 'startExport', { path: { deploymentId }, body });
  return { workbookId, versionId, jobId };
}
