import semver from 'semver';
import { read } from '../deploy/tree.mjs';

const parsed = (path) => JSON.parse(read(path));

/** The range that `engines` promises, and its major versions. */
export const supportedNodes = parsed('package.json').engines.node;
export const supportedMajors = supportedNodes.split('||').map((part) => semver.minVersion(part).major);

/** Versions that tools/nodes installs besides the one that runs the tests. */
export const otherNodes = Object.values(parsed('tools/nodes/package.json').optionalDependencies).map((spec) =>
  spec.split('@').at(-1),
);
