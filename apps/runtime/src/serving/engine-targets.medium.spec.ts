import 'reflect-metadata';
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

  it('starts with what the build has made of the model', async () => {
    const model = Object.fromEntries(fakeFiles({ answer: 'built' }).map(({ path, content }) => [path, content]));
    const deployment = runtimes.newDeployment({ model, transpiled: [[HASH, 'cube("a", {})']] });
    const { body } = await runtimes.query(deployment);
    expect([body.answer, body['transpiled']]).toEqual(['built', [[HASH, 'cube("a", {})']]]);
  });
});
