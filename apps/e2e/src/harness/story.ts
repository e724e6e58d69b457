import { unwrap } from '@plinth/client';
import type { ReplyOf } from '@plinth/contract';
import { until } from '@plinth/testing';
import type { ApiClient } from './api-client';

let names = 0;

/** A name that no other test of this process uses. */
export const uniqueName = (stem: string): string => `${stem} ${process.pid}-${(names += 1)}`;

/** Makes a deployment as the command-line client does. */
export async function createDeployment(
  api: ApiClient,
  name = uniqueName('Sales'),
): Promise<ReplyOf<'createDeployment'>> {
  const { items } = await unwrap(api.client.GET('/api/v1/regions'));
  const body = {
    name,
    cloudProvider: 'cubecloud' as const,
    region: items[0]?.name ?? '',
    targetPlatform: 'aws',
    isManaged: true,
    creationStep: 'project' as const,
    creationMethod: 'upload' as const,
  };
  return unwrap(api.client.POST('/build/api/v1/deployments', { body }));
}

type BuildStatus = ReplyOf<'buildStatus'>;

/** Waits until the newest build of the branch has ended. */
export const buildEnd = (api: ApiClient, deploymentId: number, branchName?: string): Promise<BuildStatus> =>
  until(
    `build of deployment ${deploymentId}`,
    () => api.call('buildStatus', { path: { deploymentId }, ...(branchName && { query: { branchName } }) }),
    ({ status }) => ['built', 'failed', 'cancelled'].includes(status),
  );

/** Opens dev mode on a new shared branch and returns the personal branch. */
export async function openDevBranch(api: ApiClient, deploymentId: number, name = 'feature'): Promise<string> {
  const params = { path: { deploymentId } };
  await unwrap(api.client.POST('/build/api/v1/deployments/{deploymentId}/branches', { params, body: { name } }));
  const body = { branchName: name };
  const { branchName } = await unwrap(
    api.client.POST('/build/api/v1/deployments/{deploymentId}/dev-mode', { params, body }),
  );
  return branchName ?? '';
}
