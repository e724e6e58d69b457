import 'reflect-metadata';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@plinth/config';
import { SecretBox } from '@plinth/database';
import { createEmptyDatabase, type TestDatabase } from '@plinth/testing';
import type { Installation } from './installation';
import { startPlatform, type RunningPlatform } from './platform';
import { platformSettings } from './platform.config';

const encryptionKey = Buffer.alloc(32, 7).toString('base64');

describe('a platform in one process', () => {
  const folders: string[] = [];
  let database: TestDatabase | undefined;

  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-platform-'));
    folders.push(folder);
    return folder;
  };
  const installation = (dataFolder: string, settings: Record<string, string>): Installation => {
    const environment = {
      PLINTH_LOG_LEVEL: 'silent',
      PLINTH_PORT: '0',
      PLINTH_COMPILER_SPARES: '0',
      PLINTH_STORAGE_ROOT: join(dataFolder, 'repositories'),
      PLINTH_ENCRYPTION_KEYS: encryptionKey,
      PLINTH_PUBLIC_URL_TEMPLATE: 'http://{host}:4000',
      ...settings,
    };
    return { config: loadConfig(platformSettings, environment), dataFolder, environment };
  };
  const neverLost = () => undefined;

  afterEach(async () => {
    await database?.drop();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  it('checks the settings of all its parts before it starts any of them', async () => {
    const folder = newFolder();
    const settings = {
      PLINTH_ENCRYPTION_KEYS: 'c2hvcnQ=',
      PLINTH_PORT: '99999',
      PLINTH_COMPILER_POOL_SIZE: '0',
      PLINTH_DATA_FOLDR: folder,
    };
    const refusal = await startPlatform(installation(folder, settings), neverLost).catch((error: unknown) => error);
    const { problems } = refusal as { problems?: readonly string[] };
    expect(problems?.map((line) => line.split(':')[0]).sort()).toEqual([
      'PLINTH_COMPILER_POOL_SIZE',
      'PLINTH_DATA_FOLDR',
      'PLINTH_ENCRYPTION_KEYS',
      'PLINTH_PORT',
    ]);
    expect(existsSync(join(folder, 'postgres'))).toBe(false);
  });

  it('does not start on a database that was sealed under other keys, and keeps no key that it made in vain', async () => {
    database = await createEmptyDatabase();
    const url = database.url;
    const [first, second] = [newFolder(), newFolder()];
    const start = (folder: string, settings: Record<string, string> = {}, more: Partial<Installation> = {}) =>
      startPlatform({ ...installation(folder, { PLINTH_DATABASE_URL: url, ...settings }), ...more }, neverLost);
    const platform = await start(first);
    const authorization = `Bearer ${readFileSync(join(first, 'admin-api-key'), 'utf8').trim()}`;
    const made = await fetch(new URL('/api/v1/api-keys', platform.url), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: '{}',
    });
    expect(made.ok).toBe(true);
    await platform.stop();

    const [other, forgetNewKey] = [Buffer.alloc(32, 8).toString('base64'), jest.fn()];
    const id = new SecretBox([encryptionKey]).keyIds[0];
    const refusal = start(second, { PLINTH_ENCRYPTION_KEYS: other }, { forgetNewKey });
    await expect(refusal).rejects.toThrow(`key ${id} of control_plane.idempotency_record.reply`);
    expect(forgetNewKey).toHaveBeenCalledTimes(1);
    await (await start(second, { PLINTH_ENCRYPTION_KEYS: `${other},${encryptionKey}` })).stop();
  });

  it('never names a bootstrap key that does not work as the way in', async () => {
    database = await createEmptyDatabase();
    const url = database.url;
    const start = (key: string) =>
      startPlatform(
        installation(newFolder(), { PLINTH_DATABASE_URL: url, PLINTH_BOOTSTRAP_API_KEY: `sk-${key.repeat(20)}` }),
        neverLost,
      );
    const keys: string[] = [];
    for (const key of ['a', 'b']) {
      const platform = await start(key);
      keys.push(platform.adminKey);
      await platform.stop();
    }
    expect(keys).toEqual([
      'the one that PLINTH_BOOTSTRAP_API_KEY gives',
      expect.stringMatching(/^PLINTH_BOOTSTRAP_API_KEY is none, and no other is kept here/),
    ]);
  });

  it('has the file with the administrator key only while that key works', async () => {
    database = await createEmptyDatabase();
    const [first, second] = [newFolder(), newFolder()];
    const start = (folder: string): Promise<RunningPlatform> =>
      startPlatform(installation(folder, { PLINTH_DATABASE_URL: database?.url ?? '' }), neverLost);
    const files = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('admin'));

    const platform = await start(first);
    const file = join(first, 'admin-api-key');
    expect([platform.adminKey, files(first)]).toEqual([file, ['admin-api-key']]);
    const authorization = `Bearer ${readFileSync(file, 'utf8').trim()}`;
    const call = (path: string, method = 'GET') =>
      fetch(new URL(path, platform.url), { method, headers: { authorization } });
    const { items } = (await (await call('/api/v1/api-keys')).json()) as { items: { id: number }[] };
    expect(items).toHaveLength(1);
    expect((await call(`/api/v1/api-keys/${items[0]?.id}`, 'DELETE')).ok).toBe(true);
    await platform.stop();

    const later = await Promise.all([first, second].map(start));
    expect(later.map(({ adminKey }) => adminKey)).toEqual(Array(2).fill(expect.stringContaining('none is kept here')));
    expect([files(first), files(second)]).toEqual([['admin-api-key.unused'], []]);
    await Promise.all(later.map((each) => each.stop()));
  });
});
