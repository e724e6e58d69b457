import { ApiServer } from '../../testing/kubernetes/api-server';
import { driverOf, fakeImages } from '../../testing/kubernetes/cluster-fixture';
import { startRegistry, type RegistryFixture } from '../../testing/registry-fixture';

let cluster: ApiServer;
let fixture: RegistryFixture;

describe('engines in a cluster', () => {
  beforeEach(async () => {
    cluster = await ApiServer.start(fakeImages);
    fixture = startRegistry({ driver: await driverOf(cluster) });
  });
  afterEach(async () => {
    await fixture.stop();
    await cluster.stop();
  });

  it('answer', async () => {
    const wanted = fixture.wanted(1, { answer: 'one' });
    expect(await fixture.ask(wanted)).toBe('one');
  });
});
