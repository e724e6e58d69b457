import { Replayer, type Replay } from './harness/replay';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';
import entraCompliant from './scim-replays/entra-aadoptscim.json';
import entra from './scim-replays/entra.json';
import okta from './scim-replays/okta.json';

const replays: Replay[] = [okta, entra, entraCompliant];

describe.each(onNats)('the life of a tenant as its identity provider leads it: %s', (_name, start) => {
  let topology: Topology;

  beforeAll(async () => {
    topology = await start();
  });
  afterAll(() => topology?.stop());

  describe.each(replays)('$provider', ({ provider, headers, chapters }) => {
    let replayer: Replayer;

    beforeAll(async () => {
      const name = provider.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
      const tenant = ['--name', name, '--host', `${name}.localhost`, '--admin-email', `admin@${name}.test`];
      await topology.plinth('tenants', 'create', ...tenant);
      const { scimToken } = await topology.plinth('scim-tokens', 'create', '--tenant', name);
      replayer = new Replayer(topology.admin.at(`${name}.localhost`, `Bearer ${String(scimToken)}`), headers);
    });

    it.each(chapters)('$title', async (chapter) => {
      await replayer.play(chapter);
    });
  });
});
