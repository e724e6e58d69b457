import { systemPrincipal, type Principal } from '@plinth/auth';
import { loadConfig, type Environment } from '@plinth/config';
import { operation, type OperationId, type ReplyOf, type Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { Sandboxes } from '@plinth/host';
import { createBus, InProcessHub, type Bus, type Call, type Handler } from '@plinth/messaging';
import { runInContext, type RequestContext } from '@plinth/observability';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { buildWorkerSettings } from '../build-worker.config';
import { buildWorker } from '../index';

export type Deployment = Schemas['DeploymentDescription'];

/** What workspaces say of a data model that is about to be merged. */
export type ContentReport = ReplyOf<'findBrokenContent'>;
export type ContentCheck = (call: Call<'findBrokenContent'>) => Promise<ContentReport>;

/** Where a worker keeps its state; the same values make another worker on the same state. */
export interface Premises {
  databaseUrl: string;
  encryptionKey: string;
  storageRoot: string;
  /** Further settings of the workers. */
  environment?: Environment;
  /** Environment variables of all deployments. */
  variables?: Readonly<Record<string, string>>;
  /** Nothing breaks without it. */
  contentCheck?: ContentCheck;
}

/** What a test says of a call; the rest is empty. */
export interface Request {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  /** Content of the file, for operations that take one. */
  upload?: string | AsyncIterable<Uint8Array>;
  idempotencyKey?: string;
  headers?: Record<string, string>;
  /** In base64. */
  rawBody?: string;
}

export interface Harness {
  call<Id extends OperationId>(principal: Principal, operationId: Id, request?: Request): Promise<ReplyOf<Id>>;
  /** The lines of JSON of a reply that is a stream of them. */
  lines(principal: Principal, operationId: OperationId, request?: Request): Promise<unknown[]>;
  /** Everything that the workers have logged. */
  logged(): string;
  stop(): Promise<void>;
}

/** Build workers on an in-process bus, with a control plane that knows the deployments it is given. */
export async function startHarness(
  premises: Premises,
  deployments: Map<number, Deployment>,
  workerIds: readonly string[] = ['worker-1'],
): Promise<Harness> {
  const lines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const hub = new InProcessHub();
  const connect = (name: 'control-plane' | 'build-worker' | 'gateway' | 'workspace') =>
    createBus({ name, hub, logger });
  const [controlPlane, workspace, edge] = [
    await connect('control-plane'),
    await connect('workspace'),
    await connect('gateway'),
  ];
  await controlPlane.serve(controlPlaneOver(deployments, premises.variables));
  await workspace.serve(workspaceOver(premises));
  const workers = workerIds.map(async (workerId) => {
    const bus = await connect('build-worker');
    const metrics = new Registry();
    const running = await buildWorker.start({
      config: configOf(premises, workerId),
      bus,
      logger,
      metrics,
      sandboxes: new Sandboxes({ logger, metrics, onNoWall: () => undefined }),
    });
    return { running, bus };
  });
  const started = await Promise.all(workers);
  return {
    call: (principal, operationId, { path = {}, query = {}, upload, idempotencyKey, ...more } = {}) => {
      const request = { path, query, ...more };
      const idempotency = { operationId, key: idempotencyKey ?? '', fingerprint: JSON.stringify(request) };
      const context: RequestContext = { requestId: 'test', ...(idempotencyKey !== undefined && { idempotency }) };
      const bytes = typeof upload === 'string' ? [Buffer.from(upload)] : upload;
      const file = bytes && { upload: streamOf(bytes) };
      const call = { principal, ...request, ...file } as unknown as Call<typeof operationId>;
      return runInContext(context, () =>
        operation(operationId).stream === 'response' ? streamed(edge, operationId, call) : edge.call(operationId, call),
      );
    },
    lines: async (principal, operationId, { path = {}, query = {}, ...more } = {}) => {
      const call = { principal, path, query, ...more } as unknown as Call<typeof operationId>;
      const reply = await textOf(edge, operationId, call);
      return reply.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
    },
    logged: () => lines.join(''),
    stop: async () => {
      for (const { running, bus } of started) {
        await running.close();
        await bus.close();
      }
      await Promise.all([controlPlane.close(), workspace.close(), edge.close()]);
    },
  };
}

/** A reply that comes as a stream of JSON. */
async function streamed<Id extends OperationId>(bus: Bus, operationId: Id, call: Call<Id>): Promise<ReplyOf<Id>> {
  return JSON.parse(await textOf(bus, operationId, call)) as ReplyOf<Id>;
}

async function textOf<Id extends OperationId>(bus: Bus, operationId: Id, call: Call<Id>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await bus.callForStream(operationId, call)).stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* streamOf(
  bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  yield* bytes;
}

/** The part of the control plane that build workers call. */
function controlPlaneOver(
  deployments: Map<number, Deployment>,
  variables: Readonly<Record<string, string>> = {},
): ReadonlyMap<OperationId, Handler> {
  const find = ({ tenantId }: Principal, id: number): Deployment => {
    const deployment = deployments.get(id);
    if (deployment?.tenantId === tenantId) return deployment;
    throw new AppError('deployment.not_found', 'There is no such deployment');
  };
  const change = (principal: Principal, id: number, changes: object) => {
    const deployment = { ...find(principal, id), ...changes };
    deployments.set(id, deployment);
    return { id, name: deployment.name, deploymentUrl: 'https://example.test' };
  };
  return new Map<OperationId, unknown>([
    [
      'describeDeployment',
      async ({ principal, body }: Call<'describeDeployment'>) => find(principal, body.deploymentId),
    ],
    [
      'describeEngineSettings',
      async ({ principal, body }: Call<'describeEngineSettings'>) => ({
        ...{ deploymentId: find(principal, body.deploymentId).id, version: '1.7.0', region: 'local' },
        ...{ variables, tokenVariables: {}, revision: '1' },
      }),
    ],
    [
      'updateDeployment',
      async ({ principal, path, body }: Call<'updateDeployment'>) => change(principal, path.deploymentId, body ?? {}),
    ],
    [
      'recordDeploymentSource',
      async ({ principal, body: { deploymentId, ...source } }: Call<'recordDeploymentSource'>) => ({
        ...change(principal, deploymentId, source),
        creationStep: source.creationMethod,
      }),
    ],
  ]) as ReadonlyMap<OperationId, Handler>;
}

/** The part of the workspace that build workers call. */
const workspaceOver = ({ contentCheck }: Premises): ReadonlyMap<OperationId, Handler> =>
  new Map<OperationId, unknown>([
    [
      'findBrokenContent',
      (call: Call<'findBrokenContent'>): Promise<ContentReport> =>
        contentCheck?.(call) ?? Promise.resolve({ items: [], unnamed: 0 }),
    ],
  ]) as ReadonlyMap<OperationId, Handler>;

const configOf = ({ databaseUrl, encryptionKey, storageRoot, environment }: Premises, workerId: string) =>
  loadConfig(buildWorkerSettings, {
    PLINTH_DATABASE_URL: databaseUrl,
    PLINTH_ENCRYPTION_KEYS: encryptionKey,
    PLINTH_STORAGE_ROOT: storageRoot,
    PLINTH_WORKER_ID: workerId,
    PLINTH_COMPILER_POOL_SIZE: '1',
    PLINTH_COMPILER_SPARES: '0',
    PLINTH_GIT_ALLOW_INSECURE_REMOTES: 'true',
    ...environment,
  });

export const deploymentOf = (tenantId: number, id: number, more: Partial<Deployment> = {}): Deployment => ({
  id,
  name: `deployment ${id}`,
  tenantId,
  deployMode: 'git',
  deployBranchName: 'main',
  deployBranchReadOnly: false,
  deployBranchMergeAllowed: true,
  deployProjectRoot: '',
  creationMethod: 'upload',
  ...more,
});

/** A user with an API key; an administrator unless `grants` say what they may do. */
export const userOf = (tenantId: number, userId: number, more: Partial<Principal> = {}): Principal => ({
  ...systemPrincipal(tenantId),
  kind: 'api-key',
  credentialId: `api-key:${userId}`,
  userId,
  userName: `User ${userId}`,
  email: `user${userId}@example.test`,
  ...more,
});

export const grantsOf = (...actions: string[]): Partial<Principal> => ({
  isAdmin: false,
  grants: actions.map((action) => ({ action, deploymentIds: null })),
});
