import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { operatorProgram, reasonOf } from '../../../platform/src/operator/program';

/**
 * The operator's command as a process that stays, for the many commands of test files that are about something else: nearly all
 * that a command takes is the start of its process. A connection brings one command, a line with a JSON array of its words, and gets
 * a {@link ShellReply}. Commands run one after the other.
 */
const { path } = JSON.parse(process.argv[2] ?? '') as { path: string };

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
    .then(([words]) => run(JSON.parse(words as string) as string[]))
    .catch((error: unknown) => ({ output: '', failure: reasonOf(error) }));
  socket.end(JSON.stringify(reply));
}

async function run(words: string[]): Promise<ShellReply> {
  const printed: string[] = [];
  const write = process.stdout.write;
  process.stdout.write = (chunk) => printed.push(String(chunk)) > 0;
  try {
    await operatorProgram().parseAsync(words, { from: 'user' });
    return { output: printed.join(''), ...(process.exitCode && { failure: printed.join('') }) };
  } finally {
    process.stdout.write = write;
    process.exitCode = undefined;
  }
}
