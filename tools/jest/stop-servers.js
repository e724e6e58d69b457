const { existsSync, readdirSync, readFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');

const STOP_WITHIN_MS = 30_000;

/**
 * Ends the platforms that test files shared (`apps/e2e/src/harness/shared-topology.ts`), then the database, and removes all
 * temporary files. A test file that left some is worth a look, so it is said.
 */
module.exports = async () => {
  const { folder, temporary, postgres } = globalThis.plinthTestServers ?? {};
  if (folder) await stopTopologies(folder);
  await postgres?.stop();
  if (temporary) tellOf(readdirSync(temporary));
  removeFolders();
};

/** Ends workers too, and what single tests have started: all of them know the run by its folder for temporary files. */
module.exports.afterInterruption = async () => {
  const { temporary, postgres } = globalThis.plinthTestServers ?? {};
  if (temporary) await stopAll(processesOf(temporary));
  await postgres?.stop();
  // Jest has started workers anew in place of those that ended. It comes to that no more: what follows waits for nothing.
  if (temporary) for (const pid of processesOf(temporary)) send(pid, 'SIGKILL');
  removeFolders();
};

function removeFolders() {
  const { folder, temporary } = globalThis.plinthTestServers ?? {};
  for (const each of [folder, temporary]) if (each) rmSync(each, { recursive: true, force: true });
}

/** None where there is no `/proc`. */
function processesOf(temporary) {
  const pids = existsSync('/proc/self/environ') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.map(Number).filter((pid) => pid !== process.pid && environmentOf(pid).includes(`TMPDIR=${temporary}`));
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

function tellOf(left) {
  if (left.length > 0) process.stderr.write(`Tests left temporary files behind: ${left.slice(0, 20).join(', ')}\n`);
}

async function stopTopologies(folder) {
  const files = readdirSync(folder).filter((name) => /^topology-.*\.json$/.test(name));
  const shared = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  await stopAll(shared.flatMap(({ processes }) => processes.map(({ pid }) => pid)));
  await stopAll(shared.flatMap(({ besides }) => besides));
}

async function stopAll(pids) {
  for (const pid of pids) send(pid, 'SIGTERM');
  for (const deadline = Date.now() + STOP_WITHIN_MS; pids.some(isRunning) && Date.now() < deadline;) await delay(50);
  for (const pid of pids) send(pid, 'SIGKILL');
}

function send(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

const isRunning = (pid) => send(pid, 0);
