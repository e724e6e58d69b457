import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { engineCommand, type ProbedSource, type ProbeOrder } from '@plinth/engine';
import { spawnOwned } from '@plinth/streams';
import { reportIn } from '../engines/process/engine-process';
import { readLines } from '../engines/line-reader';

const HEAP_MB = 256;
const REPORT_LIMIT = 1 << 20;

/**
 * Connects to data sources from a process of its own, which has the credentials by its standard input alone and is gone
 * when this is settled. Undefined when it has not answered within the time.
 */
export async function probe(order: ProbeOrder, withinMs: number): Promise<readonly ProbedSource[] | undefined> {
  const { command, args } = engineCommand(HEAP_MB);
  const child = spawnOwned(command, args, {
    cwd: tmpdir(),
    env: { NODE_ENV: 'production', TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const closed = new Promise<undefined>((resolve) => child.once('close', () => resolve(undefined)));
  const patience = new AbortController();
  try {
    const found = new Promise<readonly ProbedSource[]>((resolve) => {
      if (child.stdout) readLines(child.stdout, REPORT_LIMIT, (line) => hear(line, resolve));
    });
    child.stdin?.write(`${JSON.stringify(order)}\n`);
    const late = delay(withinMs, undefined, { signal: patience.signal }).catch(() => undefined);
    return await Promise.race([found, closed, late]);
  } finally {
    patience.abort();
    child.kill('SIGKILL');
    await closed;
  }
}

function hear(line: string, resolve: (sources: readonly ProbedSource[]) => void): void {
  const report = reportIn(line);
  if (report?.kind === 'probed') resolve(report.sources);
}
