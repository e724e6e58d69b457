const { default: Sequencer } = require('@jest/test-sequencer');

/** What takes longest, longest first: begun last, one of them would keep one worker busy while the other has none. */
const longest = [
  'faults.e2e.ts',
  'data.e2e.ts',
  'github.e2e.ts',
  'engine-registry.medium.spec.ts',
  'kubernetes-driver.medium.spec.ts',
  'engine-failures.medium.spec.ts',
  'model-sandbox.medium.spec.ts',
  'sample.e2e.ts',
  'queries.medium.spec.ts',
  'crash.medium.spec.ts',
  'revocation.e2e.ts',
  'data-under-load.e2e.ts',
  'authoring.e2e.ts',
  'scim-replays.e2e.ts',
  'data-edge.e2e.ts',
  'operation-access.medium.spec.ts',
  'github-webhook.medium.spec.ts',
  'lost-worker.e2e.ts',
  'data-queries.medium.spec.ts',
  'sign-in.e2e.ts',
  'scim-security.e2e.ts',
  'remotes.medium.spec.ts',
  'walls.medium.spec.ts',
  'bare-repository.medium.spec.ts',
  'uploads.medium.spec.ts',
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
