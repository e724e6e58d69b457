const { mkdtempSync, chmodSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { startEmbeddedPostgres } = require('../../libs/embedded-postgres/src');
const { startNatsServer } = require('../../libs/testing/src/nats-server');

/** Starts what medium and e2e tests share: one PostgreSQL without fsync and one NATS server. */
module.exports = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  chmodSync(folder, 0o755);
  const [postgres, nats] = await Promise.all([
    startEmbeddedPostgres({ dataFolder: folder, durable: false }),
    startNatsServer().catch(() => {
      throw new Error('nats-server is not on the PATH; run tools/setup.sh');
    }),
  ]);
  process.env.PLINTH_TEST_DATABASE_URL = postgres.url;
  process.env.PLINTH_TEST_NATS_URL = nats.url;
  globalThis.plinthTestServers = { folder, postgres, nats };
};
