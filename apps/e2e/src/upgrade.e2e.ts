import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { deadlineMs } from '@plinth/testing';
import { runFolder } from './harness/child-service';
import { headsBelow } from './harness/git-heads';
import { startOneProcess, type OneProcess } from './harness/one-process';
import { operatorCommand } from './harness/operator-command';
import { RELEASE_KEY } from './harness/released-platform';
import { createDeployment } from './harness/story';

/** What `npm run release:keep` has kept of each release. */
const releases = resolve(__dirname, '../fixtures/releases');

describe.each(readdirSync(releases))('what release %s has left', (release) => {
  const file = (name: string): string => join(releases, release, name);
  const kept = (name: string): Record<string, unknown> =>
    JSON.parse(readFileSync(file(name), 'utf8')) as Record<string, unknown>;
  let folder: string;
  let platform: OneProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(runFolder(), 'upgrade-'));
    const dataFolder = join(folder, 'data');
    mkdirSync(dataFolder, { mode: 0o700 });
    const settings = { PLINTH_DATA_FOLDER: dataFolder, PLINTH_ENCRYPTION_KEYS: RELEASE_KEY };
    const restored = await operatorCommand(settings, ['restore', '--from', file('backup.tar')]);
    expect(restored['outgoing']).toMatchObject({ notifications: 1, gitRemotes: 0 });
    expect(headsBelow(join(dataFolder, 'repositories'))).toEqual(kept('heads.json'));
    platform = await startOneProcess(settings);
  }, deadlineMs(180_000));
  afterAll(async () => {
    await platform?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is answered with all that it answered', async () => {
    const lost: Record<string, unknown> = {};
    for (const [path, before] of Object.entries(kept('answers.json'))) {
      const { status, body } = await platform.admin.send('GET', path);
      const now = JSON.parse(
        JSON.stringify(body ?? null).replaceAll(platform.admin.baseUrl, 'http://platform'),
      ) as unknown;
      if (status !== 200 || !has(now, before)) lost[path] = { before, status, now };
    }
    expect(Object.keys(kept('answers.json')).length).toBeGreaterThan(50);
    expect(lost).toEqual({});
  });

  it('has an audit log that is as it was recorded', async () => {
    expect(await platform.plinth('audit', 'verify')).toMatchObject({ broken: null });
  });

  it('opens what was sealed, and takes more', async () => {
    const { items } = await platform.admin.call('getDeployments');
    const path = { deploymentId: items[0]?.id ?? 0 };
    expect((await platform.admin.call('getEnvVariables', { path })).items).toMatchObject([{ name: 'DB_PASS' }]);
    await platform.admin.call('createBranch', { path, body: { name: 'later' } });
    const { id } = await createDeployment(platform.admin);
    expect(id).toBeGreaterThan(path.deploymentId);
  });
});

/** Whether everything of an earlier answer is there; a later release may say more. */
function has(now: unknown, before: unknown): boolean {
  if (typeof before !== 'object' || before === null) return Object.is(now, before);
  if (typeof now !== 'object' || now === null) return false;
  if (Array.isArray(before) && (!Array.isArray(now) || now.length !== before.length)) return false;
  return Object.entries(before).every(([name, value]) => has((now as Record<string, unknown>)[name], value));
}
