import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReplyOf } from '@plinth/contract';
import { sampleShopModel } from '@plinth/sample-shop';
import type { PlatformApi } from './platform-api';
import type { ShopAccess } from './sample-database';

const SAMPLE_NAME = 'Sample shop';
const PAGE = 100;
const BUILD_MS = 120_000;
const LOOK_MS = 200;

type Deployment = ReplyOf<'getDeployment'>;

export async function findSample(api: PlatformApi): Promise<Deployment | undefined> {
  let after = '';
  for (;;) {
    const page = await api.get<ReplyOf<'getDeployments'>>(`/api/v1/deployments?first=${PAGE}${after}`);
    const found = page.items.find(({ name }) => name === SAMPLE_NAME);
    if (found) return api.get(`/api/v1/deployments/${found.id}`);
    if (!page.pageInfo.hasNextPage) return undefined;
    after = `&after=${encodeURIComponent(page.pageInfo.endCursor ?? '')}`;
  }
}

export async function createSample(api: PlatformApi): Promise<Deployment> {
  const { items } = await api.get<ReplyOf<'listRegions'>>('/api/v1/regions');
  const { id } = await api.post<ReplyOf<'createDeployment'>>('/build/api/v1/deployments', {
    name: SAMPLE_NAME,
    region: items[0]?.name ?? '',
    cloudProvider: 'cubecloud',
    targetPlatform: 'aws',
    isManaged: true,
    creationStep: 'project',
    creationMethod: 'upload',
  });
  return api.get(`/api/v1/deployments/${id}`);
}

/** Gives it variables and model, waits for the build, and only then calls it ready: a run that was cut short is repeated. */
export async function completeSample(api: PlatformApi, { id }: Deployment, shop: ShopAccess): Promise<void> {
  await setVariables(api, id, {
    CUBEJS_DB_TYPE: 'postgres',
    CUBEJS_DB_HOST: shop.host,
    CUBEJS_DB_PORT: shop.port,
    CUBEJS_DB_NAME: shop.database,
    CUBEJS_DB_USER: shop.user,
    CUBEJS_DB_PASS: shop.password,
  });
  await upload(api, id);
  await builtModel(api, id);
  await api.post(`/api/v1/deployments/${id}/creation-step/advance`, { creationStep: 'ready' });
}

async function setVariables(api: PlatformApi, id: number, variables: Readonly<Record<string, string>>): Promise<void> {
  const rows = Object.entries(variables).map(([name, value]) => ({ name, value }));
  await api.put(`/api/v1/deployments/${id}/env-vars`, { env_variables: rows });
}

/** As `cube deploy` does it. */
async function upload(api: PlatformApi, id: number): Promise<void> {
  const path = `/build/api/v1/deployments/${id}/data-model/upload`;
  const { transaction } = await api.post<ReplyOf<'startUpload'>>(`${path}/start`);
  const files: Record<string, { hash: string }> = {};
  for (const { path: name, content } of await sampleShopModel()) {
    const form = new FormData();
    form.append('transaction', JSON.stringify(transaction));
    form.append('fileName', name);
    form.append('file', new Blob([content]), 'file');
    await api.post(`${path}/file`, form);
    files[name] = { hash: createHash('sha1').update(content).digest('hex') };
  }
  await api.post(`${path}/finish`, { transaction, commitMessage: 'The sample shop', files });
}

async function builtModel(api: PlatformApi, id: number): Promise<void> {
  const deadline = performance.now() + BUILD_MS;
  for (;;) {
    const { status, errorText } = await api.get<ReplyOf<'buildStatus'>>(`/api/v1/deployments/${id}/build-status`);
    if (status === 'built') return;
    if (status === 'failed' || status === 'cancelled') {
      throw new Error(`The build of the sample's model ended as ${status}: ${errorText ?? 'it gave no reason'}`);
    }
    if (performance.now() > deadline)
      throw new Error('The build of the sample takes too long: repeat the command later');
    await delay(LOOK_MS);
  }
}
