import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { findRunningPostgres } from './find-running-postgres';
import { startEmbeddedPostgres } from './start-embedded-postgres';

describe(findRunningPostgres.name, () => {
  let dataFolder: string;

  beforeEach(() => {
    dataFolder = mkdtempSync(join(tmpdir(), 'plinth-pg-'));
    chmodSync(dataFolder, 0o755);
  });

  afterEach(() => rmSync(dataFolder, { recursive: true, force: true }));

  it('finds nothing before the first start, nor after a stop', async () => {
    expect(findRunningPostgres(dataFolder)).toBeUndefined();
    await (await startEmbeddedPostgres({ dataFolder, durable: false })).stop();
    expect(findRunningPostgres(dataFolder)).toBeUndefined();
  });

  it('finds nothing when only the lock of a dead process is left', async () => {
    await (await startEmbeddedPostgres({ dataFolder, durable: false })).stop();
    writeFileSync(join(dataFolder, 'postgres.lock'), JSON.stringify({ pid: process.pid, startedAt: 'x', port: 5 }));
    expect(findRunningPostgres(dataFolder)).toBeUndefined();
  });

  it('finds the address of a running server, with which another client gets in', async () => {
    const server = await startEmbeddedPostgres({ dataFolder, durable: false });
    try {
      const found = findRunningPostgres(dataFolder);
      expect(found).toEqual({ url: server.url });
      const client = new Client({ connectionString: found!.url });
      await client.connect();
      await client.end();
    } finally {
      await server.stop();
    }
  });

  it('finds nothing after a start that failed once the server was up, and the server is stopped', async () => {
    await (await startEmbeddedPostgres({ dataFolder, durable: false })).stop();
    writeFileSync(join(dataFolder, 'postgres.password'), 'not-the-password');
    await expect(startEmbeddedPostgres({ dataFolder, durable: false })).rejects.toThrow('password');
    expect(findRunningPostgres(dataFolder)).toBeUndefined();
    expect(existsSync(join(dataFolder, 'postgres', 'postmaster.pid'))).toBe(false);
  });
});
