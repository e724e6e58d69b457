import { createLogger } from '@plinth/observability';
import { text } from 'node:stream/consumers';
import { EngineRegistry, type EngineLease, type EngineStart, type Place, type Wanted } from '../engines';
import type { EngineLine } from '../logs/engine-line';
import type { RegistryOptions } from '../engines/engine-registry';
import { fakeDriver, fakeFiles, type FakeModel, type FakeQuery } from './fake-model';

export interface RegistryFixture {
  engines: EngineRegistry;
  /** Everything that the engines have logged. */
  lines: EngineLine[];
  starts: string[];
  crashes: number;
  /** What an environment is to serve from now on; the same model is the same revision. */
  wanted(
    environmentId: number,
    model: FakeModel,
    more?: Partial<Place> &
      Partial<Pick<EngineStart, 'variables' | 'tokenVariables'>> &
      Partial<Pick<Wanted, 'mintTokens'>>,
  ): Wanted;
  /** Asks the environment's engine once; the answer's name of the model. */
  ask(wanted: Wanted, query?: FakeQuery, signal?: AbortSignal): Promise<string>;
  stop(): Promise<void>;
}

export interface Reply {
  answer: string;
  route: string;
  claims: Record<string, unknown>;
  variables: Record<string, string>;
}

let sequence = 0;

export function startRegistry({ driver = fakeDriver(), ...options }: Partial<RegistryOptions> = {}): RegistryFixture {
  const lines: EngineLine[] = [];
  const starts: string[] = [];
  const fixture = { lines, starts, crashes: 0 };
  const engines = new EngineRegistry({
    driver,
    listener: {
      line: (line) => void lines.push(line),
      query: () => undefined,
      transpiled: () => undefined,
      started: (outcome) => void starts.push(outcome),
      crashed: () => void (fixture.crashes += 1),
    },
    logger: createLogger('runtime', 'silent'),
    idleMs: 0,
    most: 20,
    memoryBytes: 0,
    spares: 0,
    startTimeoutMs: 60_000,
    stopGraceMs: 5_000,
    tokensEveryMs: 1_800_000,
    ...options,
  });
  return Object.assign(fixture, {
    engines,
    wanted: wantedOf,
    ask: async (wanted: Wanted, query: FakeQuery = {}, signal = new AbortController().signal) => {
      const lease = await engines.use(wanted, signal);
      return (await replyOf(lease, query, signal)).answer;
    },
    stop: () => engines.close(),
  });
}

/** The reply to one request under a lease, which is given back. */
export async function replyOf(lease: EngineLease, query: FakeQuery = {}, signal?: AbortSignal): Promise<Reply> {
  try {
    const { body } = await lease.request({
      route: 'load',
      method: 'POST',
      search: '',
      body: query,
      securityContext: { sub: 'somebody' },
      signal,
    });
    return JSON.parse(await text(body)) as Reply;
  } finally {
    lease.release();
  }
}

const wantedOf: RegistryFixture['wanted'] = (
  environmentId,
  model,
  { variables = {}, tokenVariables = {}, mintTokens = async () => [], ...more } = {},
) => {
  const place = { tenantId: 1, deploymentId: 1, environmentId, branchName: 'main', isProduction: true, ...more };
  return {
    place,
    revision: JSON.stringify([model, variables, tokenVariables]),
    sequence: (sequence += 1),
    mintTokens,
    order: async (pod) => ({
      place,
      pod,
      version: '1.7.43',
      region: 'local',
      variables,
      tokenVariables,
      commitHash: 'c0ffee',
      modelRoot: 'model/',
      model: fakeFiles(model),
      transpiled: [],
      checked: false,
    }),
  };
};
