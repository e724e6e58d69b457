import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@plinth/testing';
import { runFolder } from './harness/child-service';
import { startOneProcess, type OneProcess } from './harness/one-process';
import { operatorOutput } from './harness/operator-command';

const revenue = { query: { measures: ['sales.revenue'], dimensions: ['sales.products_category'] } };

describe('the sample', () => {
  let platform: OneProcess;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(runFolder(), 'sample-'));
    platform = await startOneProcess({ PLINTH_DATA_FOLDER: folder });
  });
  afterAll(async () => {
    await platform?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const sample = () => operatorOutput(platform.environment, ['sample']);
  const first = (output: string) =>
    JSON.parse(output.split('\n')[0] ?? '') as { deployment: { id: number; deploymentUrl: string }; wasThere: boolean };
  const rows = async ({ id }: { id: number }) => {
    const { cubeApiToken } = await platform.admin.call('deploymentToken', { path: { deploymentId: id } });
    const load = () =>
      platform.admin.as(cubeApiToken).send('POST', `/deployments/${id}/cubejs-api/v1/load`, { body: revenue });
    const { body } = await until('rows', load, (reply) => (reply.body as { data?: unknown }).data !== undefined);
    return (body as { data: unknown[] }).data;
  };

  it('says that there is no data folder, and makes none', async () => {
    const elsewhere = { PLINTH_DATA_FOLDER: join(folder, 'elsewhere') };
    await expect(operatorOutput(elsewhere, ['sample'])).rejects.toThrow('PLINTH_DATA_FOLDER: there is no');
    expect(existsSync(elsewhere.PLINTH_DATA_FOLDER)).toBe(false);
  });

  it('answers with rows, is there once however often it is made, and answers after a restart', async () => {
    const { deployment, wasThere } = first(await sample());
    expect(wasThere).toBe(false);
    const before = await rows(deployment);
    expect(before).toHaveLength(5);

    const again = await sample();
    expect(first(again)).toEqual({ deployment, wasThere: true });
    expect(again).toContain(`DATA=${deployment.deploymentUrl}\n`);

    const { processes } = platform;
    const data = { path: { deploymentId: deployment.id } };
    const variables = (await platform.admin.call('getEnvVariables', data)).items;
    expect(variables).toContainEqual({ name: 'CUBEJS_DB_PASS', value: '[ENCRYPTED]' });
    await processes.get('platform')?.stop();
    platform = await startOneProcess({ PLINTH_DATA_FOLDER: folder });
    expect(await rows(deployment)).toEqual(before);
  });
});
