import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from '@plinth/sandbox';
import { pythonCommand, until } from '@plinth/testing';
import { findPython, PythonBroken, PythonRunner, PythonUnusable, type Python, type PythonProgram } from './index';

const orders: Omit<PythonProgram, 'code'> = {
  columns: [
    { name: 'orders.city', type: 'other' },
    { name: 'orders.count', type: 'number' },
    { name: 'orders.paid', type: 'boolean' },
    { name: 'orders.day', type: 'time' },
  ],
  rows: [
    { 'orders.city': 'Oslo', 'orders.count': '12', 'orders.paid': 'true', 'orders.day': '2026-01-01T00:00:00.000' },
    { 'orders.city': 'Rome', 'orders.count': '3.5', 'orders.paid': false, 'orders.day': '2026-01-02T00:00:00.000' },
    { 'orders.city': 'Oslo', 'orders.count': null, 'orders.paid': null, 'orders.day': null },
  ],
};

describe(findPython, () => {
  it.each([
    ['python3', /no absolute path/],
    ['/none/python3', /cannot|ENOENT/],
    ['/bin/true', /no Python/],
    ['/bin/false', /no Python/],
    [process.execPath, /no Python/],
  ])('refuses %s and says why', async (command, reason) => {
    await expect(findPython(command)).rejects.toThrow(PythonUnusable);
    await expect(findPython(command)).rejects.toThrow(reason);
  });
});

describe('a Python program', () => {
  let python: Python;
  let sandbox: Sandbox;
  let runner: PythonRunner;

  beforeAll(async () => {
    python = await findPython(pythonCommand);
    sandbox = await Sandbox.open({ readable: python.readable });
    runner = new PythonRunner({ sandbox, python });
  });
  afterAll(async () => {
    runner?.close();
    await sandbox?.close();
  });

  const run = (code: string, options: Partial<PythonProgram> = {}) =>
    runner.run({ ...orders, code, ...options }, { owner: 'a' });

  it.each([
    ['x = 1\n1 / 0', 'ZeroDivisionError: division by zero (line 2)'],
    ['def f():\n  return rows[99]\nf()', 'IndexError: list index out of range (line 2)'],
    ['if:\n', 'SyntaxError: invalid syntax (line 1)'],
    ['missing', "NameError: name 'missing' is not defined (line 1)"],
    ['import nothing_here', "ModuleNotFoundError: No module named 'nothing_here' (line 1)"],
    ['raise SystemExit(3)', 'SystemExit: 3 (line 1)'],
    ['object()', 'TypeError: the result has a value of the type object, which JSON cannot hold'],
    ['a = []\na.append(a)\na', /^RecursionError/],
    ['"\\0" + 1', /^TypeError/],
  ])('that fails says why and where: %j', async (code, failure) => {
    const outcome = await run(code);
    expect(outcome).toMatchObject({
      result: null,
      failure: typeof failure === 'string' ? failure : expect.stringMatching(failure),
    });
    expect(outcome.stderr).toMatch(/^(?:Traceback|  File|\w+Error)/);
  });

  it('leaves a trace of its own lines alone', async () => {
    const { stderr } = await run('def f():\n  raise ValueError("no")\nf()');
    expect(stderr).toMatch(/^Traceback.*File "<report>", line 3, in <module>\s+f\(\).*ValueError: no/s);
    expect(stderr).not.toMatch(/harness|exec|eval/);
  });

  it('gets the rows, with numbers and booleans for the texts of engines', async () => {
    expect((await run('rows')).result).toEqual([
      { 'orders.city': 'Oslo', 'orders.count': 12, 'orders.paid': true, 'orders.day': '2026-01-01T00:00:00.000' },
      { 'orders.city': 'Rome', 'orders.count': 3.5, 'orders.paid': false, 'orders.day': '2026-01-02T00:00:00.000' },
      { 'orders.city': 'Oslo', 'orders.count': null, 'orders.paid': null, 'orders.day': null },
    ]);
  });

  it('has for its result what its last line is, or what it calls result', async () => {
    expect((await run('x = 20\nx + 22')).result).toBe(42);
    expect((await run('result = [1, 2]\nprint("done")')).result).toEqual([1, 2]);
    expect((await run('')).result).toBeNull();
    const values =
      'import datetime, decimal\n[float("nan"), {1, 1}, (1, "ü"), {2: None}, decimal.Decimal("1.5"), datetime.date(2026, 1, 2)]';
    expect((await run(values)).result).toEqual([null, [1], [1, 'ü'], { 2: null }, 1.5, '2026-01-02']);
  });

  it('has what it prints kept, also when it fails, and no more than there is room for', async () => {
    expect(await run('import sys\nprint("out", 1)\nprint("err", file=sys.stderr)\n1 / 0')).toMatchObject({
      stdout: 'out 1\n',
      stderr: expect.stringMatching(/^err\nTraceback/),
    });
    const flood = await run('import os, sys\nfor i in range(3000): print("x" * 1000); os.write(2, b"y" * 1000)\n7');
    expect(flood).toMatchObject({ result: 7, failure: null });
    expect([flood.stdout.length, flood.stderr.length]).toEqual([65_536, 65_536]);
  });

  it('gets fifty thousand rows', async () => {
    const rows = Array.from({ length: 50_000 }, (_, index) => ({
      'orders.count': String(index),
      'orders.city': 'Oslo',
    }));
    expect((await run('sum(row["orders.count"] for row in rows)', { rows })).result).toBe(1_249_975_000);
  });

  it('that is not waited for any more is ended', async () => {
    const patient = new PythonRunner({ sandbox, python, limits: { wallMs: 600_000 } });
    const running = () => (sandbox as unknown as { running: Set<unknown> }).running.size;
    const leaving = new AbortController();
    const left = patient.run({ ...orders, code: 'while True: pass' }, { owner: 'a', signal: leaving.signal });
    const gone = expect(left).rejects.toThrow('gone');
    await until('its process', running, (count) => count === 1);
    leaving.abort(new Error('gone'));
    await gone;
    await until('its end', running, (count) => count === 0);
  });

  it('is not run by an interpreter that does not start, which is told apart from its own failures', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-python-'));
    writeFileSync(join(folder, 'broken'), 'nothing', { mode: 0o755 });
    const broken = new PythonRunner({
      sandbox,
      python: { ...python, executable: join(folder, 'broken'), readable: [] },
    });
    await expect(broken.run({ ...orders, code: '1' }, { owner: 'a' })).rejects.toThrow(PythonBroken);
    rmSync(folder, { recursive: true });
  });

  it('can use pandas, where the operator provides it, and is told when not', async () => {
    const without = new PythonRunner({ sandbox, python: { ...python, hasPandas: false } });
    const { failure } = await without.run({ ...orders, code: 'df' }, { owner: 'a' });
    expect(failure).toMatch(/df and pd need pandas/);
    if (!python.hasPandas) return;
    expect((await run('df.groupby("orders.city")["orders.count"].sum().reset_index(name="n")')).result).toEqual([
      { 'orders.city': 'Oslo', n: 12 },
      { 'orders.city': 'Rome', n: 3.5 },
    ]);
    expect((await run('df.groupby("orders.city")[["orders.count"]].max()')).result).toEqual([
      { 'orders.city': 'Oslo', 'orders.count': 12 },
      { 'orders.city': 'Rome', 'orders.count': 3.5 },
    ]);
    expect((await run('df[["orders.day"]].dropna().sort_values("orders.day", ascending=False)')).result).toEqual([
      { 'orders.day': '2026-01-02T00:00:00.000' },
      { 'orders.day': '2026-01-01T00:00:00.000' },
    ]);
    expect((await run('df["orders.count"].mean()')).result).toBe(7.75);
    expect((await run('df["orders.day"].dt.tz_localize("Europe/Oslo").dt.hour.tolist()')).result).toEqual([0, 0, null]);
  });
});
