import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RepositoryStore, type BareRepository } from '@plinth/git';
import { createLogger } from '@plinth/observability';
import { Registry } from 'prom-client';
import { RepositoryUpkeep } from './repository-upkeep';
import type { StorageCollection } from './storage-collection';

const author = { name: 'Ada', email: 'ada@example.com', at: new Date(1_700_000_000_000) };

let root: string;
let store: RepositoryStore;
let registry: Registry;
let upkeep: RepositoryUpkeep;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'plinth-upkeep-'));
  store = new RepositoryStore({ root });
  registry = new Registry();
  const nothingDue = { claim: () => Promise.resolve(undefined) } as unknown as StorageCollection;
  upkeep = new RepositoryUpkeep(store, createLogger('test', 'silent'), registry, nothingDue);
});
afterEach(async () => {
  await upkeep.beforeApplicationShutdown();
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

const packs = ({ directory }: BareRepository) =>
  readdirSync(join(directory, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));

const repacks = async () => {
  const { values } = (await registry.getSingleMetric('plinth_build_worker_repacks_total')?.get()) ?? { values: [] };
  return values.map(({ labels, value }) => [labels['result'], value]);
};

/** A repository as fetches leave it: a pack for each. */
async function ofManyPacks(id: string): Promise<BareRepository> {
  const repository = await store.create(id);
  for (let i = 0; i < 17; i++) {
    const expectedHead = await repository.head('main');
    const changes = [{ kind: 'put' as const, path: `f${i}`, content: `${i}` }];
    await repository.commitChanges({ branch: 'main', expectedHead, changes, message: `${i}`, author });
    execFileSync('git', ['-C', repository.directory, '-c', 'safe.directory=*', 'repack', '-d', '-q']);
  }
  return repository;
}

describe('the upkeep of repositories', () => {
  it('packs those of many packs into one and leaves the others alone', async () => {
    const scattered = await ofManyPacks('scattered');
    const tidy = await store.create('tidy');
    expect(packs(scattered)).toHaveLength(17);
    await upkeep.run();
    expect(packs(scattered)).toHaveLength(1);
    expect(packs(tidy)).toHaveLength(0);
    expect(await scattered.log('main', 20)).toHaveLength(17);
    expect(await repacks()).toEqual([['done', 1]]);
  });

  it('goes on after a repository that cannot be packed, and counts it', async () => {
    const scattered = await ofManyPacks('scattered');
    const damaged = await ofManyPacks('damaged'); // Used last, so packed first.
    for (const name of packs(damaged)) {
      rmSync(join(damaged.directory, 'objects', 'pack', name));
      writeFileSync(join(damaged.directory, 'objects', 'pack', name), 'damaged');
    }
    await upkeep.run();
    expect(packs(scattered)).toHaveLength(1);
    expect(await repacks()).toEqual([
      ['failed', 1],
      ['done', 1],
    ]);
  });

  it('begins nothing once the worker stops', async () => {
    const scattered = await ofManyPacks('scattered');
    await upkeep.beforeApplicationShutdown();
    await upkeep.run();
    expect(packs(scattered)).toHaveLength(17);
  });
});
