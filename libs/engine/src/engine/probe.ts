import type { BaseDriver } from '@cubejs-backend/query-orchestrator';
import { lookupDriverClass } from '@cubejs-backend/server-core/dist/src/core/DriverResolvers';
import type { Redactor } from '@plinth/redaction';
import type { ProbedSource } from '../protocol';
import { connectionProblem } from './connection-problem';
import { DriverUnavailable, requireDriver } from './drivers';

const MOST_SOURCES = 20;

type Verdict = Pick<ProbedSource, 'cause' | 'message'>;
type Driver = new (options: { dataSource: string; maxPoolSize: number }) => BaseDriver;

const NOT_CONFIGURED: Verdict = {
  cause: 'not_configured',
  message: 'The environment variable CUBEJS_DB_TYPE is not set',
};
const LATE: Verdict = { cause: 'timeout', message: 'The host did not answer in time' };

/**
 * Connects to each data source once, as the engine's drivers do: they read their settings when they are loaded. None takes
 * longer than the time in milliseconds; whoever asks ends this process afterwards, and with it what still waits.
 */
export function probeSources(
  databases: Readonly<Record<string, string>>,
  timeoutMs: number,
  redactor: Redactor,
): Promise<ProbedSource[]> {
  const sources = Object.entries(databases).sort(([left], [right]) => rank(left) - rank(right));
  if (sources.length === 0) {
    return Promise.resolve([{ name: 'default', type: null, reachable: false, ...NOT_CONFIGURED, durationMs: 0 }]);
  }
  return Promise.all(
    sources.slice(0, MOST_SOURCES).map(async ([name, type]) => {
      const began = performance.now();
      const { cause, message } = await Promise.race([connect(name, type), after(timeoutMs)]);
      const durationMs = Math.round(performance.now() - began);
      const told = message === null ? null : redactor.clean(message);
      return { name, type: redactor.clean(type), reachable: cause === null, cause, message: told, durationMs };
    }),
  );
}

const rank = (name: string): number => (name === 'default' ? 0 : 1);

async function connect(dataSource: string, type: string): Promise<Verdict> {
  try {
    requireDriver(type);
    const driver = new (lookupDriverClass(type) as unknown as Driver)({ dataSource, maxPoolSize: 1 });
    await driver.testConnection();
    return { cause: null, message: null };
  } catch (error) {
    if (error instanceof DriverUnavailable) return { cause: 'driver', message: error.message };
    return connectionProblem(error);
  }
}

const after = (timeoutMs: number): Promise<Verdict> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(LATE), timeoutMs).unref();
  });
