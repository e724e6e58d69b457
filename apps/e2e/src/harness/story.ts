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
  const { items } = await api.call('listRegions');
  return api.call('createDeployment', {
    body: {
      name,
      cloudProvider: 'cubecloud',
      region: items[0]?.name ?? '',
      targetPlatform: 'aws',
      isManaged: true,
      creationStep: 'project',
      creationMethod: 'upload',
    },
  });
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
  await api.call('createBranch', { path: { deploymentId }, body: { name } });
  const { branchName } = await api.call('startDevMode', { path: { deploymentId }, body: { branchName: name } });
  return branchName ?? '';
}
