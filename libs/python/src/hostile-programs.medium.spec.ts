import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from '@plinth/sandbox';
import { deadlineMs, pythonCommand, until } from '@plinth/testing';
import { findPython, PythonRunner, type Python } from './index';

const secrets = mkdtempSync(join(tmpdir(), 'plinth-python-secrets-'));
const key = join(secrets, 'encryption-keys');
const listener = createServer((socket) => socket.destroy());
const ONE_GB_IN_MB = 1 << 10;
/** A processor burns for all of it. */
const LIMIT_MS = 1_000 * Math.min(8, Math.ceil(deadlineMs(1_500) / 1_000));

/** Each attempt that succeeds is named in the result. */
const tries = (attempts: Record<string, string>): string => `
import ctypes, json, mmap, os, signal, socket, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(result):
    if result < 0: raise OSError(ctypes.get_errno())
done = []
for name, attempt in ${JSON.stringify(attempts)}.items():
    try: exec(attempt); done.append(name)
    except BaseException: pass
done
`;

describe('a hostile Python program, which is native code for all that matters', () => {
  let python: Python;
  let sandbox: Sandbox;
  let runner: PythonRunner;
  let brief: PythonRunner;
  let victim: ChildProcess;

  beforeAll(async () => {
    writeFileSync(key, 'the key of the platform', { mode: 0o600 });
    victim = spawn('sleep', ['600'], { env: { SECRET: 'of another process' } });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    python = await findPython(pythonCommand);
    sandbox = await Sandbox.open({ readable: python.readable, secrets: [secrets] });
    runner = new PythonRunner({ sandbox, python, limits: { wallMs: 8_000, memoryMb: 256, resultBytes: 1 << 20 } });
    brief = new PythonRunner({ sandbox, python, limits: { wallMs: LIMIT_MS, memoryMb: 256 } });
  });
  afterAll(async () => {
    const gone = victim && once(victim, 'exit');
    victim?.kill('SIGKILL');
    await gone;
    await new Promise((resolve) => listener.close(resolve));
    runner?.close();
    brief?.close();
    await sandbox?.close();
    rmSync(secrets, { recursive: true });
  });

  const run = (code: string, rows: Record<string, unknown>[] = []) =>
    runner.run({ code, columns: [], rows }, { owner: 'a' });

  it('reaches no file, process, address or variable of the platform', async () => {
    const { port } = listener.address() as AddressInfo;
    const { result, failure } = await run(
      tries({
        'reads the key': `open(${JSON.stringify(key)}).read()`,
        'lists the secrets': `os.listdir(${JSON.stringify(secrets)})`,
        'reads what another process was told': `open('/proc/${victim.pid}/environ').read()`,
        'reads the users of the machine': `open('/etc/passwd').read()`,
        'writes a file': `open('/tmp/plinth-python', 'w').write('x')`,
        'writes a file of its own folder': `open('x', 'w').write('x')`,
        'writes a file of no name': `os.ftruncate(os.memfd_create('x'), 1 << 20)`,
        'changes a module': `open(os.__file__, 'a').write('x')`,
        'connects to a port': `socket.create_connection(('127.0.0.1', ${port}), 2)`,
        'looks up a name': `socket.getaddrinfo('example.com', 80)`,
        'signals another process': `os.kill(${victim.pid}, signal.SIGCONT) if ${victim.pid} != os.getpid() else 1 / 0`,
        'runs a command': `subprocess.run(['/bin/sh', '-c', 'true'], check=True)`,
        'becomes root': `os.setresuid(0, 0, 0)`,
        'makes a user namespace': `call(libc.unshare(0x10000000))`,
        mounts: `call(libc.mount(b'x', b'/scratch', b'tmpfs', 0, None))`,
        'has a variable of the platform': `{}[0] if set(os.environ) <= {'LC_CTYPE', 'OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'NUMEXPR_NUM_THREADS'} else 1`,
      }),
    );
    expect({ result, failure }).toEqual({ result: [], failure: null });
    expect(victim.exitCode ?? victim.signalCode).toBeNull();
  });

  it('does all that where there is no wall, so that the test above can fail', async () => {
    const open = await Sandbox.open({ kind: 'none' });
    const unwalled = new PythonRunner({ sandbox: open, python });
    const { port } = listener.address() as AddressInfo;
    const attempts = tries({
      'reads the key': `open(${JSON.stringify(key)}).read()`,
      'reads what another process was told': `open('/proc/${victim.pid}/environ').read()`,
      'connects to a port': `socket.create_connection(('127.0.0.1', ${port}), 2)`,
      'runs a command': `subprocess.run(['/bin/sh', '-c', 'true'], check=True)`,
    });
    const { result } = await unwalled.run({ code: attempts, columns: [], rows: [] }, { owner: 'a' });
    expect(result).toEqual([
      'reads the key',
      'reads what another process was told',
      'connects to a port',
      'runs a command',
    ]);
  });

  it('gets no more memory than it may have', async () => {
    const { failure } = await run(`parts = []\nfor _ in range(${ONE_GB_IN_MB}): parts.append(bytearray(1 << 20))`);
    expect(failure).toMatch(/^MemoryError|needs? more memory/);
    const native = `
import mmap
parts = []
while True: parts.append(mmap.mmap(-1, 16 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)); parts[-1].write(b'x' * (16 << 20))`;
    expect((await run(native)).failure).toMatch(/OSError|MemoryError|more memory/);
  });

  it('starts no more processes than it may have', async () => {
    const fork = `
import os, time
count = 0
try:
    while count < 200:
        if os.fork() == 0: time.sleep(60); os._exit(0)
        count += 1
except OSError: pass
count`;
    const { result } = await run(fork);
    expect(result).toBeLessThan(16);
  });

  it.each([
    ['loops', 'print("begun")\nwhile True: pass'],
    ['sleeps', 'import time\nprint("begun", flush=True)\ntime.sleep(600)'],
    ['catches everything', 'print("begun")\nwhile True:\n  try:\n    while True: pass\n  except BaseException: pass'],
    [
      'takes no signal',
      'import signal\nfor s in (signal.SIGXCPU, signal.SIGTERM): signal.signal(s, signal.SIG_IGN)\nprint("begun")\nwhile True: pass',
    ],
  ])('that %s is ended, and what it has printed is kept', async (_, code) => {
    expect(await brief.run({ code, columns: [], rows: [] }, { owner: 'a' })).toEqual({
      result: null,
      failure: `The program took longer than ${LIMIT_MS / 1_000} seconds`,
      stdout: 'begun\n',
      stderr: '',
    });
  });

  it('leaves nothing behind that runs', async () => {
    const name = 'plinth-python-left-behind';
    await run(`
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import ctypes
        ctypes.CDLL(None).prctl(15, b'${name.slice(0, 15)}', 0, 0, 0)
        time.sleep(600)
    os._exit(0)
'done'`);
    const left = () => namesOfProcesses().filter((each) => each === name.slice(0, 15));
    await until('it to be gone', left, (names) => names.length === 0, 10_000);
  });

  it.each([
    ['a flood of output', 'import os\nwhile True: os.write(replies_fd, b"x" * 65536)', /larger than|broken/],
    ['a result that is too large', '"x" * (2 << 20)', /larger than 1048576 bytes/],
    ['a line that is no answer', 'import os\nos.write(replies_fd, b"{\\"other\\": 1}\\n")', /broken its process/],
    ['a line that is no JSON', 'import os\nos.write(replies_fd, b"nothing\\n")', /broken its process/],
    [
      'an answer of endless depth',
      'import os\nos.write(replies_fd, b"{\\"result\\":" + b"[" * 200000 + b"]" * 200000 + b"}\\n")',
      /levels/,
    ],
    ['its death', 'import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)', /ended its process \(SIGSEGV\)/],
    ['a crash of native code', 'import ctypes\nctypes.string_at(0)', /ended its process \(SIGSEGV\)/],
    ['an early end', 'import os\nos._exit(0)', /ended its process \(0\)/],
  ])('that answers with %s fails alone', async (_, code, failure) => {
    // The descriptor to which the results go is no secret.
    const find =
      'import os\nreplies_fd = next(fd for fd in range(3, 64) if __import__("stat").S_ISFIFO(__import__("os").fstat(fd).st_mode) or __import__("stat").S_ISSOCK(__import__("os").fstat(fd).st_mode))\n';
    expect(await run(`${find}${code}`)).toMatchObject({ result: null, failure: expect.stringMatching(failure) });
    expect((await run('1 + 1')).result).toBe(2);
  });

  it('finds nothing of the program that ran before it', async () => {
    await run('import builtins, sys\nbuiltins.left = rows\nsys.modules["left"] = rows', [{ secret: 1 }]);
    expect((await run('import builtins, sys\n[hasattr(builtins, "left"), "left" in sys.modules]')).result).toEqual([
      false,
      false,
    ]);
  });

  it('gets names of rows that are names of objects, and gives them back as they are', async () => {
    const rows = [JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": 1}') as Record<string, unknown>];
    const { result } = await run('rows', rows);
    expect(JSON.stringify(result)).toBe('[{"__proto__":{"isAdmin":true},"constructor":1}]');
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});

/** Of all namespaces: this one is above them. */
function namesOfProcesses(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/comm`, 'utf8').trim()] : [];
    } catch {
      return [];
    }
  });
}
