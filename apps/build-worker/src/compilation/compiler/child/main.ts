import {
  closeModules,
  confineContexts,
  freezeIntrinsics,
  replaceFunctionConstructor,
  sealProcess,
  turn,
} from '@plinth/model-process';
import fs from 'node:fs';
import os from 'node:os';
import { JOBS, REPLIES, type ChildMessage, type CompileJob } from '../compile-result';
import { compile, reportStray } from './compile';

// Held here because models cannot reach them, and may break what they can reach.
const { parse, stringify } = JSON;
const { readSync, writeSync } = fs;
const { setPriority } = os;

/** What the system gives a processor to when nothing else wants it much. It holds for the rest of the child's life. */
const BACKGROUND = 15;
const { reallyExit } = process as unknown as { reallyExit(code: number): never };

const chunk = Buffer.alloc(65_536);

function send(message: ChildMessage): void {
  const line = Buffer.from(`${stringify(message)}\n`);
  for (let sent = 0; sent < line.length;) sent += writeSync(REPLIES, line, sent);
}

/**
 * Waits for a job without turning the event loop, so that nothing that a model left behind can run between jobs. The end
 * of the input is the end of the parent.
 */
function readJob(): CompileJob {
  const parts: Buffer[] = [];
  for (;;) {
    const length = readSync(JOBS, chunk);
    if (length === 0) return reallyExit.call(process, 0);
    const ends = chunk[length - 1] === 10;
    parts.push(Buffer.from(chunk.subarray(0, ends ? length - 1 : length)));
    if (ends) return parse(Buffer.concat(parts).toString('utf8')) as CompileJob;
  }
}

/** Has the compiler load what it loads on first use, while it may. */
async function warmUp(): Promise<void> {
  const files = [
    { path: 'a.yml', content: 'cubes:\n  - name: "{{ \'a\' }}"\n    sql_table: a\n' },
    { path: 'b.js', content: 'cube(`b`, { sql_table: `b` })' },
  ];
  const { errors } = await compile({ id: '', root: '', files, context: {}, background: false }, () => undefined);
  if (errors.length > 0) throw new Error(`The compiler cannot compile: ${JSON.stringify(errors)}`);
}

async function work(): Promise<void> {
  replaceFunctionConstructor();
  confineContexts();
  await warmUp();
  sealProcess();
  closeModules();
  freezeIntrinsics();
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
