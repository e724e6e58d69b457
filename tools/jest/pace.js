const { pbkdf2Sync } = require('node:crypto');
const { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } = require('node:fs');
const { availableParallelism, loadavg, tmpdir } = require('node:os');
const { join } = require('node:path');

/** What a quiet machine of two cores needs, in milliseconds, for each probe. */
const QUIET_CPU_MS = 60;
const QUIET_DISK_MS = 20;
const MOST = 10;

/**
 * How many times longer than on a quiet machine things take here and now: 1 to 10. Deadlines of tests are multiplied by
 * it, so that what is right passes on a busy machine, and what hangs is found soon on a quiet one.
 */
function probedPace() {
  const samples = Array.from({ length: 3 }, () => Math.max(cpuMs() / QUIET_CPU_MS, diskMs() / QUIET_DISK_MS));
  const queued = loadavg()[0] / availableParallelism();
  return Math.round(Math.min(MOST, Math.max(1, queued, ...samples)) * 10) / 10;
}

const cpuMs = () => elapsed(() => pbkdf2Sync('probe', 'salt', 100_000, 32, 'sha256'));

function diskMs() {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-probe-'));
  const file = openSync(join(folder, 'probe'), 'w');
  try {
    return elapsed(() => {
      for (let write = 0; write < 5; write += 1) {
        writeSync(file, Buffer.alloc(8_192));
        fsyncSync(file);
      }
    });
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

function elapsed(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

module.exports = { probedPace };
