const { readdirSync, readFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');

const STOP_WITHIN_MS = 30_000;

/** Ends the platforms that test files shared (`apps/e2e/src/harness/shared-topology.ts`), then the database. */
module.exports = async () => {
  const { folder, postgres } = globalThis.plinthTestServers ?? {};
  if (folder) await stopTopologies(folder);
  await postgres?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
};

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
