import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from '@plinth/sandbox';
import { deadlineMs } from '@plinth/testing';
import { standInDbt } from '../../testing/stand-in-dbt';
import { findDbt, type DbtInstallation } from './dbt-installation';
import { readByDbt } from './dbt-process';

let folder: string;
let sandbox: Sandbox;
let serial = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-dbt-'));
  sandbox = await Sandbox.open();
});
afterAll(async () => {
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A dbt that a project has taken over: what it does in place of reading. */
const takenOver = (lines: readonly string[]): Promise<DbtInstallation> =>
  findDbt(standInDbt(join(folder, `dbt-${++serial}`), lines));

async function failureOf(...lines: string[]): Promise<unknown> {
  const order = {
    files: [],
    profiles: {},
    target: 'dev',
    selector: null,
    environment: { PASSWORD: 'of-the-warehouse' },
  };
  const limits = { wallMs: deadlineMs(20_000), memoryMb: 256 };
  const watch = { signal: new AbortController().signal, onLine: () => undefined };
  return readByDbt(sandbox, await takenOver(lines), order, limits, watch).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a dbt that does what it likes', () => {
  it('has no manifest of 2 GB', async () => {
    expect(await failureOf("with open(manifest, 'wb') as file: file.truncate(2 << 30)")).toMatchObject({
      message: expect.stringMatching(/more than there is room for|did not come to an end/) as string,
    });
  });

  it('has no manifest of more than 200 MB', async () => {
    expect(await failureOf("with open(manifest, 'wb') as file: file.truncate(300 << 20)")).toMatchObject({
      message: 'The manifest is larger than 209715200 bytes',
    });
  });

  it('tells neither values of variables nor folders of the machine when it fails', async () => {
    const failure = await failureOf(
      "return types.SimpleNamespace(success=False, exception=Exception(os.environ['PASSWORD'] + ' in ' + __file__), result=None)",
    );
    expect(failure).toMatchObject({ message: '*** in dbt/cli/main.py' });
  });

  it('says that memory has ended where dbt takes that for a fault of the project', async () => {
    const failure = await failureOf(
      'try:',
      "  try: ' ' * (4 << 30)",
      "  except MemoryError as e: raise Exception('Compilation Error in model orders') from e",
      'except Exception as e: return types.SimpleNamespace(success=False, exception=e, result=None)',
    );
    expect(failure).toMatchObject({
      message: 'Compilation Error in model orders\nMemory has ended: it may need more memory than 256 MiB',
    });
  });
});
