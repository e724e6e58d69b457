import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { until } from '@plinth/testing';
import type * as Engine from '@plinth/engine';
import type * as Fake from '../testing/fake-model';
import { fakeFiles } from '../testing/fake-model';
import { startRuntimes, transports, type RuntimeFixture } from '../testing/runtime-fixture';

jest.mock('@plinth/engine', () => ({
  ...jest.requireActual<typeof Engine>('@plinth/engine'),
  engineCommand: jest.requireActual<typeof Fake>('../testing/fake-model').fakeCommand,
}));

const HASH = '2b0f4e127168fa58be9f75ae8c2888c3';

describe.each(transports)('the first engine of a model over %s', (transport) => {
  let runtimes: RuntimeFixture;

  beforeAll(async () => {
    runtimes = await startRuntimes(transport);
  });
  afterAll(() => runtimes?.stop());

  it('starts with what the build has made of the model, which is sound then', async () => {
    const model = Object.fromEntries(fakeFiles({ answer: 'built' }).map(({ path, content }) => [path, content]));
    const deployment = runtimes.newDeployment({ model, transpiled: [[HASH, 'cube("a", {})']] });
    const { body } = await runtimes.query(deployment);
    expect([body.answer, body['transpiled'], body['checked']]).toEqual(['built', [[HASH, 'cube("a", {})']], true]);
  });

  it('has it checked where the build has handed over nothing', async () => {
    const model = Object.fromEntries(fakeFiles({ answer: 'new' }).map(({ path, content }) => [path, content]));
    const { body } = await runtimes.query(runtimes.newDeployment({ model }));
    expect([body.answer, body['checked']]).toEqual(['new', false]);
  });

  it('has OIDC tokens in the files that variables name, and another variable is another engine', async () => {
    const model = Object.fromEntries(fakeFiles({ answer: 'built' }).map(({ path, content }) => [path, content]));
    const deployment = runtimes.newDeployment({ model });
    const fileName = 'cube_cloud_token_a';
    const expiresAt = new Date().toISOString();
    deployment.mint = () => [{ name: 'a', fileName, targetEnvVar: null, token: 'the-token', expiresAt }];
    const variables = async () => (await runtimes.query(deployment)).body['variables'] as Record<string, string>;
    expect(await variables()).toEqual({});
    deployment.tokenVariables = { A_TOKEN_FILE: fileName };
    runtimes.announce(deployment);
    const named = await until('the next engine', variables, ({ A_TOKEN_FILE: path }) => path !== undefined);
    expect(readFileSync(named['A_TOKEN_FILE'] ?? '', 'utf8')).toBe('the-token');
  });
});
