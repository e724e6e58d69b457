import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { guardConnections } from '@plinth/egress';
import { Redactor } from '@plinth/redaction';
import { Sandbox } from '@plinth/sandbox';
import { ModelHost } from '../model/model-host';
import { ModelRejected } from '../model/model-child';
import type { ModelStart } from '../model/messages';
import { modelProgram } from '../model/program';
import type { EngineOrder, PrepareOrder, ProbeOrder } from '../protocol';
import { deferParts } from './deferred-parts';
import { requireDrivers } from './drivers';
import type * as Engine from './engine';
import { setEnvironment } from './environment';
import { readOrders } from './order';
import type * as Probe from './probe';
import { Reports } from './reports';
import { type EngineVariables, selectVariables } from './variables';

/**
 * The program of the process that has a deployment's credentials: the engine, its drivers and its cache. No code of the
 * deployment's runs here. Its order comes over the standard input, whose end is the end of its parent, and its own.
 */

/** Includes the wait for a busy machine. */
const MODEL_START_MS = 120_000;
const BYTES_A_MB = 2 ** 20;
const DEFAULT_SCHEMA = 'prod_pre_aggregations';

const load = createRequire(__filename);

function loadEngine(): typeof Engine {
  deferParts();
  return load('./engine') as typeof Engine;
}

let reports = new Reports(new Redactor());
let host: ModelHost | undefined;

function end(code: number): never {
  void host?.stop();
  process.exit(code);
}

/** What is said may still have to be read. */
function endAfterReport(report: Parameters<Reports['send']>[0], code = 1): void {
  reports.send(report);
  process.stdout.write('', () => end(code));
}

/** Has a model process started, which takes its time by itself. */
function startModelHost({ limits, sandbox }: Pick<EngineOrder, 'limits' | 'sandbox'>): ModelHost {
  host = new ModelHost({
    sandbox: Sandbox.reopen(sandbox),
    program: modelProgram(Math.floor(limits.modelMemoryBytes / BYTES_A_MB)),
    limits: { callMs: limits.modelCallMs, startMs: MODEL_START_MS },
    printed: (chunk) => reports.log('info', chunk.toString('utf8').trimEnd(), 'model'),
    replaced: (reason) => reports.log('warning', `${reason}; it is started again`, 'model'),
  });
  host.prepare();
  return host;
}

/** Whatever an engine needs before it is known for whom. */
function prepare(order: PrepareOrder): ModelHost {
  const prepared = startModelHost(order);
  setEnvironment({}, order.limits);
  loadEngine();
  return prepared;
}

function modelOf(order: EngineOrder, { model, databases, engine }: EngineVariables, schema: string): ModelStart {
  return {
    model: order.model,
    root: order.modelRoot,
    configuration: order.configuration,
    transpiled: order.transpiled,
    checked: order.checked,
    variables: model,
    databases: Object.keys(databases).length > 0 ? databases : { default: engine['CUBEJS_DB_TYPE'] ?? 'postgres' },
    preAggregationsSchema: schema,
  };
}

/** @throws DriverUnavailable when the data sources cannot be served */
async function serve(order: EngineOrder, prepared: ModelHost | undefined): Promise<Server> {
  const variables = selectVariables(order.variables);
  const redactor = new Redactor({ variables: order.variables, secrets: [order.tokenSecret] });
  reports = new Reports(redactor);
  // Before anything that takes its time.
  requireDrivers(variables.databases);
  if (variables.ignored.length > 0) reports.log('info', `Variables without effect: ${variables.ignored.join(', ')}`);
  setEnvironment({ ...order.tokenPaths, ...variables.engine }, order.limits);
  guard(order, order.sandbox.socket);
  const schema = variables.engine['CUBEJS_PRE_AGGREGATIONS_SCHEMA'] ?? DEFAULT_SCHEMA;
  const model = prepared ?? startModelHost(order);
  const started = model.start(modelOf(order, variables, schema));
  started.catch(() => undefined);
  // While the model process compiles.
  const { prepareEngine, serveEngine } = loadEngine();
  const parts = { order, host: model, reports, redactor };
  const native = prepareEngine(parts);
  const { features, transpiled, warnings } = await started;
  for (const warning of warnings) reports.log('warning', warning);
  if (transpiled.length > 0) reports.send({ kind: 'transpiled', transpiled });
  const server = await serveEngine(parts, features, schema);
  reports.send({ kind: 'ready', native });
  return server;
}

function guard({ privateAddresses }: Pick<EngineOrder, 'privateAddresses'>, socket?: string): void {
  const policy = { allowPrivate: privateAddresses, allowInsecure: privateAddresses };
  guardConnections(policy, socket === undefined ? [] : [socket]);
}

/** Connects to the data sources, says what came of it, and ends. */
async function probe(order: ProbeOrder): Promise<void> {
  const { engine, databases } = selectVariables(order.variables);
  const redactor = new Redactor({ variables: order.variables });
  reports = new Reports(redactor);
  setEnvironment({ ...order.tokenPaths, ...engine });
  guard(order);
  deferParts();
  const { probeSources } = load('./probe') as typeof Probe;
  endAfterReport({ kind: 'probed', sources: await probeSources(databases, order.timeoutMs, redactor) }, 0);
}

async function main(): Promise<void> {
  for (const event of ['end', 'close', 'error']) process.stdin.once(event, () => end(0));
  let prepared: ModelHost | undefined;
  for await (const order of readOrders(process.stdin)) {
    if (!('kind' in order)) return serveUntilTold(order, prepared);
    if (order.kind === 'probe') return probe(order);
    prepared ??= prepare(order);
  }
}

async function serveUntilTold(order: EngineOrder, prepared: ModelHost | undefined): Promise<void> {
  const server = await serve(order, prepared);
  process.once('SIGTERM', () => {
    void loadEngine()
      .drain(server)
      .then(() => end(0));
  });
}

const print = (...parts: unknown[]) => reports.log('info', parts.map(String).join(' '));
// The output carries reports alone.
Object.assign(console, { log: print, info: print, warn: print, error: print, debug: print });
process.stdout.on('error', () => end(1));
process.on('unhandledRejection', (reason) => reports.log('error', messageOf(reason)));
process.on('uncaughtException', (error) => endAfterReport({ kind: 'failed', message: messageOf(error) }));

/** A message without its stack. */
function messageOf(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n    at ')[0] ?? '';
}

main().catch((error: unknown) => {
  if (error instanceof ModelRejected) return endAfterReport({ kind: 'broken', problems: error.problems });
  return endAfterReport({ kind: 'failed', message: messageOf(error) });
});
