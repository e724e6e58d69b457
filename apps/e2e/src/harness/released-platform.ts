import { until } from '@plinth/testing';
import type { ApiClient } from './api-client';
import { createDeployment, openDevBranch } from './story';

/** What the backups of releases are sealed under. It is public, and protects nothing. */
export const RELEASE_KEY = Buffer.from('a key of test data, no secret---').toString('base64');

/** Answers that say what a release offers, or what happened lately, and not what a tenant has. */
const NOT_KEPT =
  /^\/api\/(scim|v1\/(spec|regions|versions|permissions|audit-logs|scim\/requests|usage|app-config))|\/(pods|logs|status|versions|usage)/;

/** The engine that a release brings, and whether it runs. */
const NOT_KEPT_FIELDS = new Set(['releaseChannelVersion', 'cubeImageVersion', 'isCold']);

/** Those of {@link readWholeApi} that a later release answers, too. */
export function keptAnswers(answers: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const kept = Object.fromEntries([...answers].filter(([path]) => !NOT_KEPT.test(path)));
  const withoutFields = (name: string, value: unknown): unknown => (NOT_KEPT_FIELDS.has(name) ? undefined : value);
  return JSON.parse(JSON.stringify(kept, withoutFields)) as Record<string, unknown>;
}

/** Something in each part of the platform, sealed and in git, too. Nothing of it calls anybody. */
export async function fillPlatform(admin: ApiClient): Promise<void> {
  const { id: deploymentId } = await createDeployment(admin, 'Sales');
  const path = { deploymentId };
  await writeDataModel(admin, deploymentId);
  await admin.call('setEnvVariables', { path, body: { env_variables: [{ name: 'DB_PASS', value: 'kept' }] } });
  await admin.call('listAgents', { path });
  await admin.call('createAgent', { path, body: { name: 'Analyst' } });
  await writeContent(admin, deploymentId);
  await writePeople(admin);
  await admin.call('createApiKey', { body: { name: 'Of a program' } });
  await admin.call('createScimToken', { body: { name: 'Identity provider' } });
  await admin.call('putDbtSource', { path, body: { url: 'https://git.invalid/dbt.git' } });
  const customer = { path: { embedTenantName: 'customer' }, body: { externalId: 'ada' } };
  await admin.call('provisionEmbedUser', customer);
}

async function writeDataModel(admin: ApiClient, deploymentId: number): Promise<void> {
  const path = { deploymentId };
  await openDevBranch(admin, deploymentId);
  const files = [{ path: 'model/cubes/orders.yml', content: 'cubes:\n  - name: orders\n    sql: select 1 as id\n' }];
  await admin.call('updateFiles', { path, body: { files } });
  await admin.call('commitChanges', { path, body: { message: 'Count orders' } });
  await admin.call('stopDevMode', { path });
  await admin.call('mergeToDefaultBranch', { path, body: { branchName: 'feature' } });
  await until(
    'the build of production',
    () => admin.call('buildStatus', { path }),
    ({ status }) => ['built', 'failed'].includes(status),
  );
}

async function writeContent(admin: ApiClient, deploymentId: number): Promise<void> {
  const path = { deploymentId };
  const { id: folderId } = await admin.call('createFolder', { path, body: { name: 'Boards' } });
  const { id: workbookId } = await admin.call('createWorkbook', { path, body: { name: 'Orders', folderId } });
  await admin.call('createReport', { path, body: { name: 'Orders by city', workbookId } });
  const { id: dashboardId } = await admin.call('publishDashboard', {
    path: { ...path, workbookId },
    body: { workbookId, config: {} },
  });
  await admin.call('createNotification', {
    path,
    body: { dashboardId, notificationFormat: 'pdf', scheduleType: 'MONTHLY', dayOfMonth: 1, hour: 9, minute: 0 },
  });
}

async function writePeople(admin: ApiClient): Promise<void> {
  await admin.call('createUserGroup', { body: { name: 'Analysts' } });
  await admin.call('createUser', { body: { email: 'grace@acme.test', username: 'grace' } });
  await admin.call('createUserAttribute', { body: { name: 'region', type: 'string', displayName: 'Region' } });
  const policies = [{ resourceType: 'Global' as const, actions: ['AIBIView' as const], resources: ['All'] }];
  await admin.call('createRole', { body: { name: 'Reader', policies } });
}
