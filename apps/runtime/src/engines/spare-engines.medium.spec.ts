import { programsBelow, until } from '@plinth/testing';
import { fakeDriver } from '../testing/fake-model';
import { startRegistry, type RegistryFixture } from '../testing/registry-fixture';
import { EngineProcess } from './process/engine-process';
import type { ProcessDriver } from './process/process-driver';

const MIB = 2 ** 20;
let fixture: RegistryFixture;
let driver: ProcessDriver;
let kept: jest.SpyInstance<void, [number]>;

const processes = () => programsBelow(process.pid, 'fake-engine.ts');
const thereAre = (count: number) =>
  until(
    `${count} processes`,
    () => processes(),
    (pids) => pids.length === count,
  );
/** What was decided last, once the engine's start has been looked at. */
const decided = () =>
  until(
    'a decision',
    () => kept.mock.calls.at(-1)?.[0],
    (count) => count !== undefined,
  );
const start = (options: Parameters<typeof startRegistry>[0] = {}) => {
  driver = fakeDriver();
  kept = jest.spyOn(driver.spares, 'keep');
  fixture = startRegistry({ driver, spares: 1, ...options });
};
const ask = (environmentId: number) => fixture.ask(fixture.wanted(environmentId, { answer: String(environmentId) }));

afterEach(async () => {
  jest.restoreAllMocks();
  await fixture.stop();
});

describe('spare engines', () => {
  it('are none before an engine runs, and none when the last one has ended', async () => {
    start();
    expect(processes()).toEqual([]);
    await ask(1);
    await thereAre(2);
    fixture.engines.retire(1);
    await thereAre(0);
  });

  it('serve the next environment, and are replaced', async () => {
    start();
    await ask(1);
    const before = await thereAre(2);
    expect(await ask(2)).toBe('2');
    expect(await thereAre(3)).toEqual(expect.arrayContaining(before));
    expect(await Promise.all([ask(1), ask(2)])).toEqual(['1', '2']);
  });

  it('serve one environment each, when two are asked at once', async () => {
    start();
    await ask(1);
    await thereAre(2);
    expect(await Promise.all([ask(2), ask(3)])).toEqual(['2', '3']);
    await thereAre(4);
  });

  it('are used by nobody once they have died', async () => {
    const prepare = jest.spyOn(EngineProcess.prototype, 'prepare');
    start();
    await ask(1);
    await thereAre(2);
    const spare = prepare.mock.contexts[0];
    process.kill(spare?.pid ?? 0, 'SIGKILL');
    await spare?.ended;
    expect(await ask(2)).toBe('2');
    expect(fixture.starts).toEqual(['ready', 'ready']);
  });

  it('are not thought of while an engine starts, and made when none does', async () => {
    start();
    await ask(1);
    await thereAre(2);
    kept.mockClear();
    const slow = fixture.ask(fixture.wanted(2, { startMs: 600_000 }));
    slow.catch(() => undefined);
    const looks = jest.spyOn(fixture.engines, 'count');
    fixture.engines.retire(1);
    await until(
      'a look',
      () => looks.mock.calls.length,
      (count) => count > 0,
    );
    await thereAre(1);
    expect(kept).not.toHaveBeenCalled();
    fixture.engines.retire(2);
    await ask(3);
    await thereAre(2);
  });

  it('are ended with the runtime', async () => {
    start();
    await ask(1);
    await thereAre(2);
    await fixture.stop();
    expect(processes()).toEqual([]);
  });

  it('are none where the limit of memory has no room for another engine', async () => {
    start({ memoryBytes: 256 * MIB });
    await ask(1);
    expect(await decided()).toBe(0);
  });

  it('are none where the machine is short of memory', async () => {
    jest.spyOn(process, 'availableMemory').mockReturnValue(300 * MIB);
    start();
    await ask(1);
    expect(await decided()).toBe(0);
  });

  it('count as memory of engines', async () => {
    start();
    await ask(1);
    await thereAre(2);
    expect(driver.spares.memoryBytes()).toBeGreaterThan(0);
    // The engine that serves, which has about as much.
    expect(fixture.engines.count().memoryBytes).toBeGreaterThan(1.5 * driver.spares.memoryBytes());
  });
});
