import { readMessage, seal, turn, writeMessage } from '@plinth/model-process';
import os from 'node:os';
import type { ChildMessage, CompileJob } from '../compile-result';
import { compile, reportStray } from './compile';

// Held here because models cannot reach it, and may break what they can reach.
const { setPriority } = os;

/** What the system gives a processor to when nothing else wants it much. It holds for the rest of the child's life. */
const BACKGROUND = 15;
const { reallyExit } = process as unknown as { reallyExit(code: number): never };

const send: (message: ChildMessage) => void = writeMessage;

/** The end of the input is the end of the parent. */
function readJob(): CompileJob {
  return (readMessage() as CompileJob | undefined) ?? reallyExit.call(process, 0);
}

/** Has the compiler load what it loads on first use, while it may. */
async function warmUp(): Promise<void> {
  const files = [
    { path: 'a.yml', content: 'cubes:\n  - name: "{{ \'a\' }}"\n    sql_table: a\n' },
    { path: 'b.js', content: 'cube(`b`, { sql_table: `b` })' },
  ];
  const { errors } = await compile(
    { id: '', root: '', files, context: {}, background: false, describe: true },
    () => undefined,
  );
  if (errors.length > 0) throw new Error(`The compiler cannot compile: ${JSON.stringify(errors)}`);
}

async function work(): Promise<void> {
  await seal(warmUp);
  process.on('uncaughtException', reportStray);
  send({ kind: 'ready' });
  for (;;) {
    const job = readJob();
    // What earlier code left behind shows itself before this job is begun.
    await turn();
    send({ kind: 'begun', id: job.id });
    if (job.background) setPriority(BACKGROUND);
    const result = await compile(job, (path) => send({ kind: 'file', path }));
    send({ kind: 'result', id: job.id, result });
  }
}

work().catch((error: unknown) => {
  process.stderr.write(String(error));
  reallyExit.call(process, 1);
});
