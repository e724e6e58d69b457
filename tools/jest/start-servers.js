const { spawnSync } = require('node:child_process');
const { chmodSync, mkdtempSync, statfsSync } = require('node:fs');
const { freemem, tmpdir } = require('node:os');
const { join } = require('node:path');
// Libraries import each other by their aliases.
require('./register-typescript');
const { Client } = require('pg');
const { startEmbeddedPostgres } = require('../../libs/embedded-postgres/src');
const stopServers = require('./stop-servers');

/**
 * Starts the PostgreSQL that all medium and e2e tests of a run share; it forgets everything in a power cut. Temporary files
 * of tests and of what they start have a folder of the run's own, whose name is short, as paths of sockets are limited.
 */
module.exports = async () => {
  // Debian puts servers where the PATH of ordinary users does not lead. Workers inherit it.
  process.env.PATH = `${process.env.PATH}:/usr/sbin`;
  if (spawnSync('nats-server', ['--version']).error) {
    throw new Error('nats-server is not on the PATH. Run tools/setup.sh, which installs it.');
  }
  const folder = mkdtempSync(join(parentFolder(), 'plinth-test-'));
  chmodSync(folder, 0o755);
  process.env.PLINTH_TEST_FOLDER = folder;
  const temporary = mkdtempSync(join(tmpdir(), 'plinth-'));
  chmodSync(temporary, 0o1777);
  process.env.TMPDIR = temporary;
  globalThis.plinthTestServers = { folder, temporary };
  for (const signal of Object.keys(INTERRUPTIONS)) process.once(signal, () => void endInterrupted(signal));
  try {
    const postgres = await startEmbeddedPostgres({ dataFolder: folder, durable: false });
    globalThis.plinthTestServers.postgres = postgres;
    process.env.PLINTH_TEST_DATABASE_URL = postgres.url;
    await easeSignIn(postgres.url);
  } catch (error) {
    await stopServers();
    throw error;
  }
};

/** A random password needs none of the 4,096 rounds that each of ten thousand connections would go through. */
async function easeSignIn(url) {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { username, password } = new URL(url);
  await client.query('set scram_iterations = 1');
  await client.query(`alter role ${client.escapeIdentifier(username)} password ${client.escapeLiteral(password)}`);
  await client.end();
}

/** By their numbers, of which the exit code tells. */
const INTERRUPTIONS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/** Jest does not tear down what it is interrupted in. A second signal ends it at once. */
async function endInterrupted(signal) {
  process.stderr.write(`\n${signal}: ending the servers of the tests\n`);
  await stopServers.afterInterruption().catch((error) => process.stderr.write(`${error}\n`));
  process.exit(128 + INTERRUPTIONS[signal]);
}

const MEMORY = '/dev/shm';
const ROOM_BYTES = 6 * 2 ** 30;

/** Where there is room in memory, a test database costs a quarter of what it costs on a disk. */
function parentFolder() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, freemem()) >= ROOM_BYTES) return MEMORY;
  } catch {
    // Not Linux.
  }
  return tmpdir();
}
