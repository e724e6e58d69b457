import semver from 'semver';
import { read } from '../deploy/tree.mjs';
import { otherNodes, supportedMajors, supportedNodes } from '../nodes/supported.mjs';

/** Packages that refuse a Node which `engines` promises, and Nodes that are promised and not tested, or the reverse. */
export function engineProblems() {
  const packages = Object.entries(JSON.parse(read('package-lock.json')).packages);
  const tested = [process.versions.node, ...otherNodes];
  return [
    ...packages
      .filter(([path, { engines }]) => path !== '' && engines?.node && !semver.subset(supportedNodes, engines.node))
      .map(([path, { version, engines }]) => `${path} ${version} needs Node ${engines.node}, not ${supportedNodes}`),
    ...otherNodes
      .filter((version) => !semver.satisfies(version, supportedNodes))
      .map((version) => `tools/nodes has Node ${version}, which engines does not promise`),
    ...supportedMajors
      .filter((major) => !tested.some((version) => semver.major(version) === major))
      .map((major) => `engines promises Node ${major}, which neither runs this nor is in tools/nodes`),
  ];
}
