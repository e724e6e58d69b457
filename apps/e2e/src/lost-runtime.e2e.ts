import { readdirSync, readFileSync } from 'node:fs';
import { systemPrincipal } from '@plinth/auth';
import { createBus, type Bus, type Call } from '@plinth/messaging';
import { createLogger } from '@plinth/observability';
import { deadlineMs, until } from '@plinth/testing';
import { startSeparateServices, type SeparateServices } from './harness/separate-services';
import { buildEnd, createDeployment } from './harness/story';

const TENANT = 1;
/** In which every client has its answer again. */
const WITHIN_MS = 10_000;

/** Processes with their parents. */
const parents = (): Map<number, number> =>
  new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
          return [[Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
        } catch {
          return [];
        }
      }),
  );
const childrenOf = (pid: number): number[] =>
  [...parents()].flatMap(([child, parent]) => (parent === pid ? [child] : []));

describe('two runtimes under load', () => {
  let topology: SeparateServices;
  let bus: Bus;
  let deployments: number[];

  beforeAll(async () => {
    topology = await startSeparateServices({ buildWorkers: 1, runtimes: 2 });
    bus = await createBus({ name: 'gateway', logger: createLogger('test', 'silent'), natsUrl: topology.nats.url });
    deployments = [];
    for (let index = 0; index < 3; index++) {
      const { id } = await createDeployment(topology.admin);
      await buildEnd(topology.admin, id);
      deployments.push(id);
    }
    await Promise.all(deployments.map((id) => answer(id)));
  });
  afterAll(async () => {
    await bus?.close();
    await topology?.stop();
  });

  const ask = async (deploymentId: number): Promise<unknown> => {
    const body = {
      environmentId: 1,
      branchName: 'main',
      isProduction: true,
      route: 'meta' as const,
      method: 'GET' as const,
      search: '',
      body: null,
      securityContext: {},
      caller: 'somebody',
    };
    const call: Call<'queryEngine'> = { principal: systemPrincipal(TENANT), path: { deploymentId }, query: {}, body };
    const { stream } = await bus.callForStream('queryEngine', call);
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString());
  };
  /** Asks again after a failure and when it is told to, as clients do. */
  const answer = (deploymentId: number): Promise<unknown> =>
    until(
      `deployment ${deploymentId} to answer`,
      () => ask(deploymentId).catch((error: unknown) => error),
      (reply) => typeof reply === 'object' && reply !== null && 'cubes' in reply,
      90_000,
    );
  /** The longest that a client waits for an answer while something happens. */
  const longestWait = async (happens: () => Promise<unknown>): Promise<number> => {
    let over = false;
    let longest = 0;
    const client = async (deploymentId: number): Promise<void> => {
      while (!over) {
        const began = performance.now();
        await answer(deploymentId);
        longest = Math.max(longest, performance.now() - began);
      }
    };
    const clients = deployments.flatMap((id) => [client(id), client(id)]);
    await happens();
    await Promise.all(deployments.map((id) => answer(id)));
    over = true;
    await Promise.all(clients);
    return longest;
  };

  it('answer every client within ten seconds when one of them is killed, and none of its engines is left', async () => {
    const runtimes = ['runtime-1', 'runtime-2'].map((name) => ({ name, pid: topology.processes.get(name)?.pid ?? 0 }));
    const [lost] = runtimes.sort((left, right) => childrenOf(right.pid).length - childrenOf(left.pid).length);
    const engines = childrenOf(lost?.pid ?? 0);
    expect(engines.length).toBeGreaterThan(0);
    const longest = await longestWait(async () => {
      topology.processes.get(lost?.name ?? '')?.kill('SIGKILL');
      await topology.processes.get(lost?.name ?? '')?.ended();
    });
    expect(longest).toBeLessThan(deadlineMs(WITHIN_MS));
    await until(
      'the end of its engines',
      () => engines.filter((pid) => parents().has(pid)),
      (left) => left.length === 0,
    );
    await topology.restart(lost?.name ?? '');
  });

  it('answer every client when one after the other is replaced', async () => {
    const longest = await longestWait(async () => {
      for (const name of ['runtime-1', 'runtime-2']) await topology.restart(name);
    });
    expect(longest).toBeLessThan(deadlineMs(WITHIN_MS));
  });
});
