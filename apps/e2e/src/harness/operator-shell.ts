import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { operatorProgram, reasonOf } from '../../../platform/src/operator/program';

/**
 * The operator's command as a process that stays, for the many commands of test files that are about something else: nearly all
 * that a command takes is the start of its process. A connection brings one command, a line with a {@link ShellOrder}, and gets
 * a {@link ShellReply}. Commands run one after the other.
 */
const { path } = JSON.parse(process.argv[2] ?? '') as { path: string };

export interface ShellOrder {
  words: string[];
  /** Settings on top of those of the shell. */
  environment: Record<string, string>;
}

export interface ShellReply {
  /** What it printed. */
  output: string;
  /** Why it failed. */
  failure?: string;
}

let last: Promise<void> = Promise.resolve();

createServer((socket) => {
  socket.on('error', () => undefined);
  last = last.then(() => answer(socket));
}).listen(path, () => process.stdout.write('ready\n'));

async function answer(socket: Socket): Promise<void> {
  const reply = await once(createInterface({ input: socket }), 'line')
    .then(([order]) => run(JSON.parse(order as string) as ShellOrder))
    .catch((error: unknown) => ({ output: '', failure: reasonOf(error) }));
  socket.end(JSON.stringify(reply));
}

async function run({ words, environment }: ShellOrder): Promise<ShellReply> {
  const usual = { ...process.env };
  Object.assign(process.env, environment);
  const printed: string[] = [];
  const write = process.stdout.write;
  process.stdout.write = (chunk) => printed.push(String(chunk)) > 0;
  try {
    await operatorProgram().parseAsync(words, { from: 'user' });
    return { output: printed.join(''), ...(process.exitCode && { failure: printed.join('') }) };
  } finally {
    process.stdout.write = write;
    process.exitCode = undefined;
    for (const name of Object.keys(environment)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, usual);
    // A command listens until the end of its process, which here is that of the next ones.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeAllListeners(signal);
  }
}
