import { readMessage, seal, turn, writeMessage } from '@plinth/model-process';
import { loadDialects } from './dialects';
import { MAX_MESSAGE, type ModelCall, type ModelMessage, type ModelStart } from './messages';
import { ModelBroken } from './model-broken';
import { ServedModel } from './served-model';
import { setVariables } from './variables';

/**
 * The program of the process that runs the code of one deployment's data model, and nothing else: it has no secrets, no
 * environment, no files but modules, no network. It takes one call at a time.
 */

const { reallyExit } = process as unknown as { reallyExit(code: number): never };
const send: (message: ModelMessage) => void = writeMessage;

function receive<T>(): T {
  return (readMessage() as T | undefined) ?? reallyExit.call(process, 0);
}

const PROBE: ModelStart = {
  model: [
    {
      path: 'a.yml',
      content: 'cubes:\n  - name: "{{ \'a\' }}"\n    sql_table: a\n    measures:\n      - { name: n, type: count }\n',
    },
    {
      path: 'b.js',
      content: `cube('b', { sql_table: 'b', dimensions: { t: { sql: 't', type: 'time' } }, access_policy: [{ group: '*' }] })`,
    },
  ],
  root: '',
  configuration: undefined,
  transpiled: [],
  checked: false,
  variables: {},
  databases: { default: 'postgres' },
  preAggregationsSchema: 'p',
};

/** Has the compiler load what it loads on first use, while it may. */
async function warmUp(): Promise<void> {
  const model = new ServedModel(PROBE, new Map());
  await model.compile();
  const query = { measures: ['a.n'], dimensions: [], timezone: 'UTC', timeDimensions: [], filters: [] };
  await model.call({ method: 'metaConfig', args: [{}, {}] });
  await model.call({ method: 'getSql', args: [query, {}] });
}

/** What libraries print on first use is nobody's model's. */
async function quietly(work: () => Promise<void>): Promise<void> {
  const write = process.stderr.write.bind(process.stderr);
  process.stderr.write = () => true;
  await work();
  process.stderr.write = write;
}

async function start(): Promise<ServedModel | undefined> {
  const { order, dialects } = await seal(async () => {
    // Before it is known whose model comes: a process may wait for one.
    await quietly(warmUp);
    const first = receive<ModelStart>();
    setVariables(first.variables);
    return { order: first, dialects: loadDialects(Object.values(first.databases)) };
  });
  process.on('uncaughtException', (error) => process.stderr.write(`${messageOf(error)}\n`));
  return compiled(order, dialects);
}

/** Undefined, where there is none to answer for: the parent ends this process then. */
async function compiled(order: ModelStart, dialects: ReadonlyMap<string, object>): Promise<ServedModel | undefined> {
  try {
    const model = new ServedModel(order, dialects);
    const features = await model.compile();
    send({ kind: 'ready', features, transpiled: model.transpiled(), warnings: model.warnings });
    return model;
  } catch (error) {
    send({ kind: 'broken', problems: error instanceof ModelBroken ? error.problems : [{ message: messageOf(error) }] });
    return undefined;
  }
}

async function work(): Promise<void> {
  const model = await start();
  while (model) {
    // What earlier code left behind shows itself before the next call is begun.
    await turn();
    send({ kind: 'idle' });
    const call = receive<ModelCall>();
    try {
      send({ kind: 'value', value: await model.call(call) });
    } catch (error) {
      send({ kind: 'error', message: messageOf(error) });
    }
  }
}

function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return String(message).slice(0, MAX_MESSAGE);
}

work().catch((error: unknown) => {
  process.stderr.write(messageOf(error));
  reallyExit.call(process, 1);
});
