import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { EngineOrder, EngineReport, PrepareOrder } from '@plinth/engine';
import { fakeAnswers } from './fake-answers';
import type { FakeModel } from './fake-model';

const report = (line: EngineReport): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

/**
 * An engine whose behaviour its model and each request decide, so that tests can have it die, wait and be broken at a
 * moment of their choice. Process, pipes, socket and tokens are those of the real one.
 */
async function main(): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  lines.once('close', () => process.exit(0));
  // One to prepare may come before.
  const order = await new Promise<EngineOrder>((resolve) =>
    lines.on('line', (line) => {
      const given = JSON.parse(line) as EngineOrder | PrepareOrder;
      if (!('kind' in given)) resolve(given);
    }),
  );
  const model = JSON.parse(order.model[0]?.content ?? '{}') as FakeModel;
  if (model.says !== undefined) process.stderr.write(`${model.says}\n`);
  if (model.startMs !== undefined) await pause(model.startMs);
  if (model.diesAtStart) process.kill(process.pid, 'SIGKILL');
  if (model.broken) return leave({ kind: 'broken', problems: model.broken });
  if (model.fails !== undefined) return leave({ kind: 'failed', message: model.fails });
  serve(order, model);
}

function leave(last: EngineReport): void {
  process.stdout.write(`${JSON.stringify(last)}\n`, () => process.exit(1));
}

function serve(
  { tokenSecret, variables, tokenPaths, transpiled, checked, socketPath }: EngineOrder,
  model: FakeModel,
): void {
  const answers = fakeAnswers({
    tokenSecret,
    model,
    variables: { ...tokenPaths, ...variables },
    transpiled,
    checked,
    log: (message) => report({ kind: 'log', level: 'info', message, container: 'engine' }),
    queried: (route, durationMs) => report({ kind: 'query', route, durationMs, rows: 1, cached: false, failed: false }),
  });
  const server = createServer(answers);
  server.listen(socketPath, () => report({ kind: 'ready', native: 'stand-in' }));
  process.on('SIGTERM', () => server.close(() => process.exit(0)));
}

void main();
