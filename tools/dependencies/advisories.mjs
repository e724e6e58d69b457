import { spawnSync } from 'node:child_process';
import { root } from '../deploy/tree.mjs';

const WITHIN_MS = 60_000;
const WORTH_FAILING = ['high', 'critical'];

/** Known weaknesses of what is deployed, as the registry has them; a registry that has none to offer is no problem. */
export function advisoryProblems(note) {
  const options = { cwd: root, encoding: 'utf8', timeout: WITHIN_MS };
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], options);
  const { vulnerabilities, message } = reportIn(stdout);
  if (!vulnerabilities) {
    note(`advisories: not checked, the registry offers none (${message})`);
    return [];
  }
  return Object.values(vulnerabilities)
    .filter(({ severity }) => WORTH_FAILING.includes(severity))
    .map(({ name, severity, range, via }) => `${name} ${range} is vulnerable (${severity}): ${titles(via)}`);
}

function reportIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.trim() || 'no answer' };
  }
}

/** `via` names either the advisory or the dependency that has one. */
const titles = (via) => via.map((cause) => cause.title ?? cause).join('; ');
