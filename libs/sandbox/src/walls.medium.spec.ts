import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deadlineMs, until } from '@plinth/testing';
import { transformFileSync } from '@swc/core';
import { Sandbox, SandboxServer, type WallKind } from './index';
import { firstLine, limits, nativeProgram, run } from './testing/native-program';

const root = mkdtempSync(join(tmpdir(), 'plinth-walls-'));
const dataFolder = join(root, 'data');
const key = join(dataFolder, 'encryption-keys');
const repositories = join(dataFolder, 'repositories');
/** No name may mean anything to a shell or to a table of file systems. */
const given = join(root, String.raw`what it's \040 given`);
const listener = createServer((socket) => socket.destroy());
const hidden = createServer((socket) => socket.destroy());
let victim: ChildProcess;
/** A process that starts a program as a platform does, from this library as compiled here. */
const sources = join(root, 'sandbox');
const startElsewhere = `
const [sources, options, program] = process.argv.slice(1);
require(sources).Sandbox.open(JSON.parse(options)).then((sandbox) => {
  sandbox.start(JSON.parse(program)).stdout.pipe(process.stdout);
});`;

beforeAll(async () => {
  mkdirSync(repositories, { recursive: true });
  mkdirSync(given);
  compileTo(sources);
  writeFileSync(key, 'the key of the platform', { mode: 0o600 });
  writeFileSync(join(given, 'model'), 'a model');
  writeFileSync(join(given, 'open'), 'to everybody');
  chmodSync(join(given, 'open'), 0o666);
  chmodSync(root, 0o755);
  chmodSync(dataFolder, 0o700);
  victim = spawn('sleep', ['600'], { env: { SECRET: 'of another process' } });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => hidden.listen(join(dataFolder, 'socket'), resolve));
});
afterAll(() => {
  listener.close();
  hidden.close();
  victim.kill('SIGKILL');
  for (const path of [root, '/tmp/plinth-walls', '/dev/shm/plinth-walls'])
    rmSync(path, { recursive: true, force: true });
});

/** Each attempt that succeeds is a hole, or a thing that its kind of wall is known not to hold. */
const BREAK_OUT = `
tries(
  reads_its_files=lambda: open(args['given'] + '/model').read(),
  reads_the_key=lambda: open(args['key']).read(),
  lists_repositories=lambda: os.listdir(args['repositories']),
  reads_what_another_process_was_told=lambda: open(f'/proc/{args["pid"]}/environ').read(),
  reads_the_memory_of_another_process=lambda: open(f'/proc/{args["pid"]}/mem', 'rb'),
  sees_other_processes=lambda: os.listdir(f'/proc/{args["pid"]}'),
  changes_its_files=lambda: open(args['given'] + '/model', 'w'),
  changes_what_any_user_may=lambda: open(args['given'] + '/open', 'w'),
  makes_a_file_beside_its_files=lambda: open(args['given'] + '/other', 'w'),
  makes_a_file_in_tmp=lambda: open('/tmp/plinth-walls', 'w'),
  fills_a_file_in_tmp=lambda: put('/tmp/plinth-walls', 'x'),
  fills_a_file_in_shared_memory=lambda: put('/dev/shm/plinth-walls', 'x'),
  fills_a_file_of_no_name=lambda: os.ftruncate(os.memfd_create('x'), 1 << 20),
  connects_to_a_port=lambda: socket.create_connection(('127.0.0.1', args['port']), 5),
  connects_to_a_socket_of_the_platform=lambda: socket.socket(socket.AF_UNIX).connect(args['socket']),
  signals_another_process=lambda: os.kill(args['pid'], signal.SIGCONT) if args['pid'] != os.getpid() else 1 / 0,
  slows_another_process_down=lambda: os.setpriority(os.PRIO_PROCESS, args['pid'], 19),
  hurries_itself=lambda: os.setpriority(os.PRIO_PROCESS, 0, 0),
  spares_itself_when_memory_is_short=lambda: put('/proc/self/oom_score_adj', '-1000'),
  raises_its_limits=lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 40, 1 << 40)),
  becomes_root=lambda: os.setresuid(0, 0, 0),
  mounts=lambda: call(libc.mount(b'x', args['given'].encode(), b'tmpfs', 0, None)),
  changes_its_root=lambda: os.chroot('/'),
  makes_a_device=lambda: os.mknod('/tmp/plinth-walls-device', 0o60600, os.makedev(1, 3)),
  makes_a_user_namespace=lambda: call(libc.unshare(0x10000000)),
)
`;

/** What each kind is known to leave open, besides what the probe finds to be open here. */
const LEFT_OPEN: Record<WallKind, string[]> = {
  namespace: [],
  user: ['sees other processes', 'changes what any user may', 'makes a file in tmp', 'makes a user namespace'],
  container: [],
  none: [],
};

const isRoot = process.getuid?.() === 0;
/** What the machine allows, asked for in another way than the sandbox does. */
const namespaces = spawnSync('unshare', [...(isRoot ? [] : ['--user']), '--mount', 'true']).status === 0;
const own: WallKind[] = [...(namespaces ? (['namespace'] as const) : []), ...(isRoot ? (['user'] as const) : [])];
const kinds: WallKind[] = own.length > 0 ? [...own, 'container'] : [];

(kinds.length > 0 ? describe.each(kinds) : describe.skip.each(['none'] as const))(
  'behind a wall of the kind %s, a native program',
  (kind) => {
    const options = { kind, socket: join(root, 'sandbox.sock') };
    let sandbox: Sandbox;
    let other: SandboxServer;
    beforeAll(async () => {
      // The other process stands in for the other container: what holds behind it is the wall that it has itself.
      other = await SandboxServer.listen(await Sandbox.open(), options.socket);
      sandbox = await Sandbox.open({ ...options, secrets: [dataFolder], readable: [given] });
    });
    afterAll(async () => {
      await sandbox.close();
      await other.close();
    });
    const places = () => ({
      ...{ given, key, repositories, socket: join(dataFolder, 'socket'), pid: victim.pid },
      port: (listener.address() as AddressInfo).port,
    });
    const start = (...program: Parameters<typeof nativeProgram>) => sandbox.start(nativeProgram(...program));
    const runs = (...program: Parameters<typeof nativeProgram>) => run(sandbox, nativeProgram(...program));

    it('reads what it is given, and reaches nothing else', async () => {
      const program = nativeProgram(BREAK_OUT, places());
      const { said } = await run(sandbox, { ...program, readable: [...program.readable, given] });
      const holes = (said as string[]).filter((done) => !LEFT_OPEN[kind].includes(done));
      expect(holes).toEqual(['reads its files']);
      expect(victim.exitCode ?? victim.signalCode).toBeNull();
    });

    it('fills its scratch folder and no more of the disk', async () => {
      const fill = `
tries(
  fills=lambda: open('a', 'wb').write(b'x' * 500_000),
  fills_one_file_without_end=lambda: [file.write(b'x' * 100_000) for file in [open('b', 'wb', 0)] for _ in range(11)],
)`;
      const { said } = await runs(fill, {}, { scratchBytes: 1_000_000 });
      expect(said).toEqual(['fills']);
      expect((await runs(`open('a', 'w')`)).stderr).toMatch(/Permission denied|Read-only file system/);
    });

    it('gets the memory that it may have', async () => {
      const allocate = `
def fill(flags, most):
    parts = []
    try:
        while len(parts) < most: parts.append(mmap.mmap(-1, 16 << 20, flags=flags))
    except OSError: pass
    return len(parts) * 16
print(json.dumps([fill(mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 1024), fill(mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, 1024)]))`;
      const [own, shared] = (await runs(allocate)).said as [number, number];
      expect(own).toBeGreaterThan(100);
      expect(own).toBeLessThanOrEqual(256);
      expect(shared).toBeLessThanOrEqual(2048 + 256);
    });

    it('starts as many processes as it may have', async () => {
      const fork = `
count = 0
try:
    while count < 100:
        if os.fork() == 0: time.sleep(60)
        count += 1
except OSError: pass
print(count)
sys.stdout.flush()
os._exit(0)`;
      const { said } = await runs(fork);
      expect(said).toBeGreaterThan(10);
      expect(said).toBeLessThan(32);
    });

    it('has its environment empty, and knows no capability, group or descriptor of the platform', async () => {
      const look = `print(json.dumps([dict(os.environ), os.getgroups(), [fd for fd in range(3, 64) if isopen(fd)], libc.prctl(39, 0, 0, 0, 0)]))`;
      const isOpen = `
def isopen(fd):
    try: os.fstat(fd); return True
    except OSError: return False
`;
      const { said } = await runs(isOpen + look);
      const [environment, groups, descriptors, noNewPrivileges] = said as [
        Record<string, string>,
        number[],
        number[],
        number,
      ];
      // Python's own.
      delete environment['LC_CTYPE'];
      expect([environment, descriptors, noNewPrivileges]).toEqual([{}, [], 1]);
      if (isRoot) expect(groups).toEqual([]);
    });

    it('is ended when its time is over, with all that it has left in the background', async () => {
      const name = `plinth-walls-${kind}-background`;
      const leave = `
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    os._exit(0)
print('left', flush=True)
time.sleep(600)`;
      const started = start(leave, { name }, limits({ wallMs: deadlineMs(1_500) }));
      await firstLine(started);
      expect(processesNamed(name)).not.toEqual([]);
      expect(await started.exited).toMatchObject({ limit: 'wallTime' });
      await eventually(() => processesNamed(name).length === 0);
    });

    it('leaves nothing behind when it ends by itself', async () => {
      const name = `plinth-walls-${kind}-left`;
      const leave = `
if os.fork() == 0:
    os.setsid()
    [os.close(fd) for fd in (0, 1, 2)]
    time.sleep(600)`;
      expect((await runs(leave, { name })).exit).toEqual({ code: 0, signal: null });
      await eventually(() => processesNamed(name).length === 0);
    });

    it('dies with a platform that is killed, however busy it is, with all that it has left in the background', async () => {
      const name = `plinth-walls-${kind}-orphan`;
      const loop = nativeProgram(`os.fork() or os.setsid()\nprint('loops', flush=True)\nwhile True: pass`, { name });
      const platform = spawn(
        process.execPath,
        ['-e', startElsewhere, sources, JSON.stringify(options), JSON.stringify(loop)],
        {
          env: { NODE_PATH: join(__dirname, '../../../node_modules') },
        },
      );
      await new Promise((resolve) => platform.stdout.once('data', resolve));
      expect(processesNamed(name).length).toBeGreaterThan(2);
      platform.kill('SIGKILL');
      await eventually(() => processesNamed(name).length === 0);
    });

    it('is ended when it has used its processor time, and that is said', async () => {
      const { exit } = await runs('while True: pass', {}, limits({ cpuSeconds: 1 }));
      expect(exit).toEqual({ code: null, signal: 'SIGXCPU', limit: 'cpuTime' });
    });

    it('that is not there or ends early costs its caller no error of a stream', async () => {
      const gone = sandbox.start({ ...nativeProgram(''), command: '/none' });
      for (let i = 0; i < 100; i++) gone.stdin.write('x'.repeat(10_000));
      expect(await gone.exited).not.toMatchObject({ code: 0 });
      const early = start('os.close(0)');
      for (let i = 0; i < 100; i++) early.stdin.write('x'.repeat(10_000));
      expect(await early.exited).toEqual({ code: 0, signal: null });
    });
  },
);

describe('behind no wall', () => {
  it('the same program gets out, so that these tests can fail', async () => {
    const sandbox = await Sandbox.open({ kind: 'none', secrets: [dataFolder] });
    const places = { given, key, repositories, socket: join(dataFolder, 'socket'), pid: victim.pid };
    const { port } = listener.address() as AddressInfo;
    // Nothing that would change the machine.
    const only = /^(?:reads|lists|sees|connects|signals)/;
    const attempts = BREAK_OUT.split('\n').filter((line) => !line.startsWith('  ') || only.test(line.trim()));
    const { said } = await run(sandbox, nativeProgram(attempts.join('\n'), { ...places, port }));
    expect(said).toEqual([
      ...['reads its files', 'reads the key', 'lists repositories', 'reads what another process was told'],
      ...['reads the memory of another process', 'sees other processes', 'connects to a port'],
      ...['connects to a socket of the platform', 'signals another process'],
    ]);
    expect(sandbox.gaps).toEqual(
      expect.arrayContaining(['private folders', 'processes', 'network', 'writable folders']),
    );
  });
});

function compileTo(folder: string): void {
  const names = readdirSync(__dirname, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((each) => each.endsWith('.ts') && !each.endsWith('.spec.ts'))) {
    const { code } = transformFileSync(join(__dirname, name), {
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
    });
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name.replace(/ts$/, 'js')), code);
  }
}

/** Also of other namespaces: this one is above them. */
function processesNamed(name: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(name);
    } catch {
      return false;
    }
  });
}

const eventually = (holds: () => boolean): Promise<boolean> => until('the condition', holds, Boolean, 10_000);
