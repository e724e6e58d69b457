import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { BaseRepository, type Transaction } from '@plinth/database';
import type { CodeOwner } from '../compiler/code-owner';
import type { CompileResult } from '../compiler/compile-result';
import { cube, put, startFixture, type Fixture } from '../../testing/fixture';
import { deploymentOf, startHarness } from '../../testing/worker-harness';
import { CompileResultsRepository, MAX_RESULTS, MAX_TRANSPILED } from './compile-results.repository';
import { SharedCompileResults, type CompileInput } from './shared-compile-results';

let platform: Fixture;
let shared: SharedCompileResults;
const warnings: unknown[] = [];
const logger = { warn: (...all: unknown[]) => warnings.push(all) } as never;

beforeAll(async () => {
  platform = await startFixture();
  shared = new SharedCompileResults(platform.database, new CompileResultsRepository(), logger);
});
afterAll(() => platform?.stop());

const RESULT: CompileResult = {
  valid: false,
  errors: [{ message: 'bad \u0000', fileName: 'model/a.yml' }],
  cubesCount: 0,
};

class MarkingRepository extends BaseRepository {
  async spoil(tx: Transaction, deploymentId: number, transpiled: Buffer): Promise<void> {
    await this.managerFor(tx).query('update compile_result set transpiled = $2 where deployment_id = $1', [
      deploymentId,
      transpiled,
    ]);
  }

  async mark(tx: Transaction, deploymentId: number, result: string): Promise<void> {
    await this.managerFor(tx).query('update compile_result set result = $2 where deployment_id = $1', [
      deploymentId,
      result,
    ]);
  }
}

const HASH = 'd41d8cd98f00b204e9800998ecf8427e';
const TRANSPILED: CompileResult = {
  valid: true,
  errors: [],
  cubesCount: 1,
  transpiled: [[HASH, 'cube(`a`, {})']],
};

/** A deployment whose data model exists. */
async function newInput(...parts: string[]): Promise<CompileInput> {
  const { admin, path } = platform.newDeployment();
  await platform.call(admin, 'validateDataModel', { path });
  return { owner: { tenantId: admin.tenantId, deploymentId: path.deploymentId, trust: 'shared' }, parts };
}
const countOf = (deploymentId: number) =>
  platform.database.readAsSystem<{ key: string }>(
    { name: 'test-compile-results', text: 'select key from compile_result where deployment_id = $1' },
    [deploymentId],
  );

describe('shared results of compilations', () => {
  it('belong to one owner, and no other tenant, no other deployment and nobody of another trust sees them', async () => {
    const input = await newInput('tree');
    await shared.keep(input, RESULT);
    expect(await shared.find(input)).toEqual(RESULT);
    const { tenantId, deploymentId } = (await newInput('tree')).owner;
    const others: Partial<CodeOwner>[] = [{ tenantId }, { deploymentId }, { trust: 'dev branch 1' }];
    for (const other of others) {
      expect(await shared.find({ ...input, owner: { ...input.owner, ...other } })).toBeUndefined();
    }
  });

  it('are told apart by every part', async () => {
    const input = await newInput('tree', 'root');
    await shared.keep(input, RESULT);
    for (const parts of [['tree'], ['tree', ''], ['treeroot'], ['other', 'root'], ['root', 'tree']]) {
      expect(await shared.find({ ...input, parts })).toBeUndefined();
    }
  });

  it('do not keep what was aborted or is too large', async () => {
    const input = await newInput('tree');
    await shared.keep(input, { ...RESULT, aborted: true });
    await shared.keep(input, { ...RESULT, errors: [{ message: 'x'.repeat(300_000) }] });
    expect(await shared.find(input)).toBeUndefined();
  });

  it('make room for new ones when a deployment has too many', async () => {
    const input = await newInput();
    for (let i = 0; i < MAX_RESULTS + 5; i++) await shared.keep({ ...input, parts: [`tree ${i}`] }, RESULT);
    expect(await countOf(input.owner.deploymentId)).toHaveLength(MAX_RESULTS);
    expect(await shared.find({ ...input, parts: ['tree 0'] })).toBeUndefined();
    expect(await shared.find({ ...input, parts: [`tree ${MAX_RESULTS + 4}`] })).toEqual(RESULT);
  });

  it('that cannot be kept cost nobody a failure', async () => {
    const before = warnings.length;
    const nowhere: CompileInput = { owner: { tenantId: 1, deploymentId: 999_999, trust: 'shared' }, parts: ['tree'] };
    await shared.keep(nowhere, RESULT);
    expect(warnings).toHaveLength(before + 1);
  });
});

describe('what was transpiled with a result', () => {
  it('belongs to its owner, and is no part of the result', async () => {
    const input = await newInput('tree');
    await shared.keep(input, TRANSPILED);
    expect(await shared.findTranspiled(input)).toEqual(TRANSPILED.transpiled);
    expect(await shared.find(input)).toEqual({ valid: true, errors: [], cubesCount: 1 });
    const { tenantId, deploymentId } = (await newInput('tree')).owner;
    const others: Partial<CodeOwner>[] = [{ tenantId }, { deploymentId }, { trust: 'dev branch 1' }];
    for (const other of others) {
      expect(await shared.findTranspiled({ ...input, owner: { ...input.owner, ...other } })).toEqual([]);
    }
  });

  it('is nothing when it is broken, or of another shape, or grows without end', async () => {
    const input = await newInput('tree');
    await shared.keep(input, TRANSPILED);
    const bomb = gzipSync(Buffer.alloc(64 << 20, ' '));
    for (const spoilt of [Buffer.from('no gzip'), gzipSync('[["x", 1]]'), bomb]) {
      await platform.database.asSystem((tx) => new MarkingRepository().spoil(tx, input.owner.deploymentId, spoilt));
      expect(await shared.findTranspiled(input)).toEqual([]);
    }
    expect(await shared.find(input)).toMatchObject({ valid: true });
  });

  it('is left out when it is too large, and the result is kept', async () => {
    const input = await newInput('tree');
    await shared.keep(input, { ...TRANSPILED, transpiled: [[HASH, randomBytes(3 << 20).toString('base64')]] });
    expect(await shared.findTranspiled(input)).toEqual([]);
    expect(await shared.find(input)).toMatchObject({ valid: true });
  });

  it('is kept of the newest results of a deployment', async () => {
    const input = await newInput();
    const trees = Array.from({ length: MAX_TRANSPILED + 2 }, (_, index) => ({ ...input, parts: [`tree ${index}`] }));
    for (const tree of trees) await shared.keep(tree, TRANSPILED);
    const kept = await Promise.all(trees.map((tree) => shared.findTranspiled(tree)));
    expect(kept.map(({ length }) => length)).toEqual([0, 0, ...Array<number>(MAX_TRANSPILED).fill(1)]);
  });
});

describe('a model that one worker has compiled', () => {
  it('is not compiled by another', async () => {
    const { admin, path } = platform.newDeployment();
    await platform.call(admin, 'startDevMode', { path });
    await platform.call(admin, 'updateFiles', { path, body: put('model/a.yml', cube('a')) });
    await platform.call(admin, 'validateDataModel', { path, query: { devMode: true } });
    // Marked, so that the other worker's answer shows where it comes from.
    const marked = JSON.stringify({ valid: true, errors: [], cubesCount: 42 });
    await platform.database.asSystem((tx) => new MarkingRepository().mark(tx, path.deploymentId, marked));
    const deployment = deploymentOf(admin.tenantId, path.deploymentId);
    const other = await startHarness(platform.premises, new Map([[deployment.id, deployment]]), ['worker-2']);
    const verdict = await other.call(admin, 'validateDataModel', { path, query: { devMode: true } });
    await other.stop();
    expect(verdict).toMatchObject({ valid: true, cubesCount: 42 });
  });
});
