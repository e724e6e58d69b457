import { percentile } from '../bench/client.mjs';

const percent = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;
const milliseconds = (value) => `${Math.round(value)} ms`;

/** Prints what clients saw and what happened meanwhile. */
export function printReport({ observations, faults, builds, ownerMoves, seconds }) {
  const { requests, attempts, failedAttempts } = observations;
  console.table(Object.entries(requests).map(([kind, seen]) => row(kind, seen)));
  console.table(Object.entries(faults).map(([fault, count]) => ({ fault, count })));
  const failed = [...failedAttempts].sort((one, other) => other[1] - one[1]);
  if (failed.length > 0) console.table(failed.map(([reply, count]) => ({ reply, count })));
  const all = Object.values(requests);
  const count = all.reduce((sum, { milliseconds: list }) => sum + list.length, 0);
  const lost = all.reduce((sum, seen) => sum + seen.failed, 0);
  const failedCount = failed.reduce((sum, [, times]) => sum + times, 0);
  console.log(`requests            ${count} in ${seconds} s`);
  console.log(`failed attempts     ${failedCount} of ${attempts} (${percent(failedCount, attempts)})`);
  console.log(`failed after retry  ${lost} of ${count} (${percent(lost, count)})`);
  console.log(`owner moves         ${ownerMoves}`);
  console.log(`builds              ${builds.map(({ status, count }) => `${count} ${status}`).join(', ') || 'none'}`);
}

function row(kind, { milliseconds: list, failed }) {
  return {
    requests: kind,
    count: list.length,
    p50: milliseconds(percentile(list, 0.5)),
    p99: milliseconds(percentile(list, 0.99)),
    longest: milliseconds(percentile(list, 1)),
    'failed after retry': failed,
  };
}
