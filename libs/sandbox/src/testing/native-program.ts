import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Exit, Program, ProgramLimits, Sandbox, SandboxedProcess } from '../index';

const LIMITS: ProgramLimits = { memoryBytes: 256 << 20, processes: 32, cpuSeconds: 20, wallMs: 30_000 };

/**
 * Python is native enough: through ctypes it makes any system call. It is given its own files and nothing else. That of the
 * system comes first: one in a home is closed to other users.
 */
const [interpreter = '', ...files] = execFileSync(
  existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3',
  ['-I', '-c', 'import sys, sysconfig, _ctypes; print(sys.executable, sysconfig.get_path("stdlib"), _ctypes.__file__)'],
  { encoding: 'utf8' },
)
  .trim()
  .split(' ');

const PRELUDE = `
import ctypes, json, mmap, os, resource, signal, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def call(result):
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def put(path, text):
    with open(path, 'w') as file: file.write(text)
def tries(**attempts):
    done = []
    for name, attempt in attempts.items():
        try: attempt(); done.append(name.replace('_', ' '))
        except Exception as error: print(name, repr(error), file=sys.stderr)
    print(json.dumps(done))
args = json.loads(sys.argv[1])
`;

/** A hostile program; `code` is Python, which finds `args` there. */
export const nativeProgram = (code: string, args: object = {}, more: Partial<Program> = {}): Program => ({
  command: interpreter,
  args: ['-I', '-S', '-c', PRELUDE + code, JSON.stringify(args)],
  readable: files,
  limits: LIMITS,
  ...more,
});

/** Runs it to its end, and gives what it said as JSON in one line; undefined when that is nothing. */
export async function run(sandbox: Sandbox, program: Program): Promise<{ said: unknown; stderr: string; exit: Exit }> {
  const started = sandbox.start(program);
  started.stdin.end();
  const [stdout, stderr] = await Promise.all([textOf(started.stdout), textOf(started.stderr)]);
  return { said: stdout === '' ? undefined : JSON.parse(stdout), stderr, exit: await started.exited };
}

/** Resolves with the first line that a program says. */
export async function firstLine(started: SandboxedProcess): Promise<string> {
  for await (const chunk of started.stdout) return String(chunk).trim();
  throw new Error('it says nothing');
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

export const limits = (more: Partial<ProgramLimits>): { limits: ProgramLimits } => ({ limits: { ...LIMITS, ...more } });
