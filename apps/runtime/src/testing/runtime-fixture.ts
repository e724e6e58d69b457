import { createHash } from 'node:crypto';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { loadConfig, type Environment } from '@plinth/config';
import { operation, validateReply, type OperationId, type ReplyOf, type Schemas } from '@plinth/contract';
import type { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { Sandboxes } from '@plinth/host';
import { createBus, InProcessHub, type Bus, type Call, type Handler } from '@plinth/messaging';
import { createLogger, runInContext } from '@plinth/observability';
import { createTestDatabase, startNatsServer, testEncryptionKey } from '@plinth/testing';
import { Registry } from 'prom-client';
import { runtime, runtimeSchema } from '../index';
import { runtimeSettings } from '../runtime.config';

const logger = createLogger('runtime', 'silent');

export const transports = ['in-process', 'NATS'] as const;

/** A branch of a deployment, and what it serves. */
export interface Branch {
  id: number;
  name: string;
  kind: 'deploy' | 'shared' | 'dev';
  ownerUserId: number | null;
  /** Files below `model/`; null while it has never been built. */
  model: Record<string, string> | null;
  configuration?: string;
  /** What its build has made of it. */
  transpiled?: [contentHash: string, code: string][];
}

export interface Deployment {
  id: number;
  tenantId: number;
  variables: Record<string, string>;
  tokenVariables: Record<string, string>;
  /** The OIDC tokens of the deployment, made anew. */
  mint: () => Schemas['MintedOidcToken'][];
  branches: Branch[];
}

export interface Replica {
  bus: Bus;
  metrics: Registry;
  stop(): Promise<void>;
}

/** Runtimes on a database of their own, with a control plane and a build worker that know what a test gives them. */
export interface RuntimeFixture {
  database: Database;
  edge: Bus;
  replicas: Replica[];
  newDeployment(branch: Partial<Branch>, variables?: Record<string, string>): Deployment;
  /** Tells everybody that something of the deployment is different. */
  announce(deployment: Deployment): void;
  startReplica(): Promise<Replica>;
  call<Id extends OperationId>(
    principal: Principal,
    operationId: Id,
    request?: { path?: object; query?: object; body?: unknown },
  ): Promise<ReplyOf<Id>>;
  /** One request to the engine of the deployment's first branch. */
  query(deployment: Deployment, query?: Partial<Schemas['EngineRequest']>): Promise<{ status: number; body: Answer }>;
  stop(): Promise<void>;
}

export type Answer = Record<string, unknown> & { answer?: string; error?: string; data?: unknown };

let ids = 0;
const hashOf = (value: unknown): string => createHash('sha1').update(JSON.stringify(value)).digest('hex');

export async function startRuntimes(
  transport: (typeof transports)[number] = 'in-process',
  settings: Environment = {},
): Promise<RuntimeFixture> {
  const nats = transport === 'NATS' ? await startNatsServer() : undefined;
  const hub = new InProcessHub();
  const connect = (name: 'control-plane' | 'build-worker' | 'runtime' | 'gateway'): Promise<Bus> =>
    createBus({ name, hub, logger, natsUrl: nats?.url });
  const [controlPlane, worker, edge] = [
    await connect('control-plane'),
    await connect('build-worker'),
    await connect('gateway'),
  ];
  const deployments = new Map<number, Deployment>();
  await serveOthers(controlPlane, worker, deployments);
  const { url, database, drop } = await createTestDatabase(runtimeSchema);
  const environment = {
    PLINTH_DATABASE_URL: url,
    PLINTH_ENCRYPTION_KEYS: testEncryptionKey,
    PLINTH_ENGINE_PRIVATE_ADDRESSES: 'true',
    ...settings,
  };
  const replicas: Replica[] = [];
  const startReplica = async (): Promise<Replica> => {
    const [bus, metrics] = [await connect('runtime'), new Registry()];
    const sandboxes = new Sandboxes({ logger, metrics, onNoWall: () => undefined });
    const config = loadConfig(runtimeSettings, environment);
    const running = await runtime.start({ config, bus, logger, metrics, sandboxes });
    let stopped: Promise<void> | undefined;
    const replica = { bus, metrics, stop: () => (stopped ??= running.close().then(() => bus.close())) };
    replicas.push(replica);
    return replica;
  };
  await startReplica();
  return {
    database,
    edge,
    replicas,
    startReplica,
    newDeployment: (branch, variables = {}) => {
      const id = (ids += 1);
      const first = { id: id * 100, name: 'main', kind: 'deploy', ownerUserId: null, model: {}, ...branch } as const;
      const deployment = { id, tenantId: 1_000 + id, variables, tokenVariables: {}, mint: () => [], branches: [first] };
      deployments.set(id, deployment);
      return deployment;
    },
    announce: ({ id }) => edge.publish({ topic: 'build-worker.deployment.changed', payload: { deploymentId: id } }),
    call: async (principal, operationId, { path = {}, query = {}, body } = {}) => {
      const call = { principal, path, query, body } as unknown as Call<typeof operationId>;
      const reply = await runInContext({ requestId: 'test' }, () => edge.call(operationId, call));
      expect(validateReply(operationId, operation(operationId).successStatus, reply)).toEqual([]);
      return reply;
    },
    query: async (deployment, query) => {
      const { headers, stream } = await edge.callForStream('queryEngine', engineCall(deployment, query));
      const chunks: Uint8Array[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      return { status: Number(headers['status']), body: JSON.parse(Buffer.concat(chunks).toString()) as Answer };
    },
    stop: async () => {
      for (const replica of replicas) await replica.stop();
      await Promise.all([controlPlane, worker, edge].map((bus) => bus.close()));
      await drop();
      await nats?.stop();
    },
  };
}

export function engineCall(
  { id, tenantId, branches }: Deployment,
  query: Partial<Schemas['EngineRequest']> = {},
): Call<'queryEngine'> {
  const [branch] = branches;
  return {
    principal: systemPrincipal(tenantId),
    path: { deploymentId: id },
    query: {},
    body: {
      environmentId: branch?.id ?? 1,
      branchName: branch?.name ?? '',
      isProduction: branch?.kind === 'deploy',
      route: 'load',
      method: 'POST',
      search: '',
      body: {},
      securityContext: {},
      caller: 'somebody',
      ...query,
    },
  };
}

/** The parts of the control plane and the build workers that runtimes call. */
async function serveOthers(controlPlane: Bus, worker: Bus, deployments: Map<number, Deployment>): Promise<void> {
  const find = ({ tenantId }: Principal, id: number): Deployment => {
    const deployment = deployments.get(id);
    if (deployment?.tenantId === tenantId) return deployment;
    throw new AppError('deployment.not_found', 'There is no such deployment');
  };
  const settings = async ({ principal, body: { deploymentId } }: Call<'describeEngineSettings'>) => {
    const { variables, tokenVariables } = find(principal, deploymentId);
    const revision = hashOf([variables, tokenVariables]);
    return { deploymentId, version: '1.7.43', region: 'local', variables, tokenVariables, revision };
  };
  const mint = async ({ principal, body: { deploymentId } }: Call<'mintEngineTokens'>) => ({
    items: find(principal, deploymentId).mint(),
  });
  const describe = async ({ principal, body }: Call<'describeServedModel'>): Promise<Schemas['ServedModel']> => {
    const branch = find(principal, body.deploymentId).branches.find(({ name }) => name === body.branchName);
    const none = {
      environmentId: branch?.id ?? null,
      commitHash: null,
      treeHash: null,
      projectRoot: '',
      message: null,
    };
    if (!branch) return { ...none, reason: 'unknown_branch' };
    if (!branch.model) return { ...none, reason: 'building' };
    const hash = hashOf([branch.model, branch.configuration]);
    return { ...none, commitHash: hash, treeHash: hash, reason: null };
  };
  const read = async ({ principal, path, body }: Call<'readServedModel'>) => {
    const served = find(principal, path.deploymentId).branches.find(
      ({ model, configuration }) => hashOf([model, configuration]) === body.commitHash,
    );
    const files = Object.entries(served?.model ?? {}).map(([name, content]) => ({ path: name, content }));
    const known = body.branchName === served?.name && body.compilerVersion !== undefined;
    const transpiled = known ? (served?.transpiled ?? []).map((each) => ({ transpiled: each })) : [];
    const lines = [{ root: 'model/', configuration: served?.configuration ?? null }, ...files, ...transpiled];
    return {
      headers: {},
      stream: (async function* () {
        for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
      })(),
    };
  };
  const branches = async ({ principal, body }: Call<'listDeploymentBranches'>) => ({
    branches: find(principal, body.deploymentId).branches.map(({ id, name, kind, ownerUserId }) => ({
      id,
      name,
      kind,
      ownerUserId,
      ownerEmail: null,
      parentBranch: null,
      isStagingEnvironmentEnabled: false,
      lastHash: 'c0ffee',
    })),
  });
  await controlPlane.serve(handlers({ describeEngineSettings: settings, mintEngineTokens: mint }));
  await worker.serve(
    handlers({ describeServedModel: describe, readServedModel: read, listDeploymentBranches: branches }),
  );
}

const handlers = (served: Record<string, unknown>): ReadonlyMap<OperationId, Handler> =>
  new Map(Object.entries(served)) as unknown as ReadonlyMap<OperationId, Handler>;
