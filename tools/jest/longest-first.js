const { default: Sequencer } = require('@jest/test-sequencer');

/** What takes longest, longest first: begun last, one of them would keep one worker busy while the other has none. */
const longest = [
  'backup.e2e.ts',
  'crash.medium.spec.ts',
  'interrupted-syncs.medium.spec.ts',
  'github.e2e.ts',
  'docs-page.e2e.ts',
  'faults.e2e.ts',
  'isolation.e2e.ts',
  'model-sandbox.medium.spec.ts',
  'renderer.medium.spec.ts',
  'data.e2e.ts',
  'data-under-load.e2e.ts',
  'exports.medium.spec.ts',
  'start-embedded-postgres.medium.spec.ts',
  'queries.medium.spec.ts',
  'embed-colleagues.e2e.ts',
  'gates.spec.ts',
  'revocation.e2e.ts',
  'git-syncs.medium.spec.ts',
  'engine-registry.medium.spec.ts',
  'notifications.e2e.ts',
  'permission-matrix.medium.spec.ts',
  'lost-worker.e2e.ts',
  'embed-sessions.e2e.ts',
  'kubernetes-driver.medium.spec.ts',
  'mcp.e2e.ts',
  'agents-replicas.e2e.ts',
  'scim-replays.e2e.ts',
  'model-host.medium.spec.ts',
  'embed-pages.e2e.ts',
  'agents.e2e.ts',
  'nats-bus.medium.spec.ts',
  'sample.e2e.ts',
];

/** Jest's own order, which knows how long files took before and how large they are, behind the known longest. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => longest.findIndex((name) => path.endsWith(`/${name}`));
    const isKnown = (test) => rank(test) >= 0;
    const known = tests.filter(isKnown).sort((left, right) => rank(left) - rank(right));
    return [...known, ...super.sort(tests.filter((test) => !isKnown(test)))];
  }
};
