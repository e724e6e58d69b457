import { randomBytes } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import { loadConfig } from '@plinth/config';
import { operation, validateReply, type OperationId, type ReplyOf } from '@plinth/contract';
import { Database, SecretBox } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { Sandboxes } from '@plinth/host';
import { createBus, InProcessHub, type Bus, type Call } from '@plinth/messaging';
import { createLogger, requestContext, runInContext } from '@plinth/observability';
import { createTestDatabase, startNatsServer } from '@plinth/testing';
import { Registry } from 'prom-client';
import { workspace, workspaceSchema } from '../index';
import { embedOf } from './embed-surroundings';
import { agentsOf, buildWorkerOf, controlPlaneOf, handlers, type Surroundings } from './surroundings';
import { workspaceSettings } from '../workspace.config';

const logger = createLogger('workspace', 'silent');

export const transports = ['in-process', 'NATS'] as const;

type Request = { path?: object; query?: object; body?: unknown; upload?: AsyncIterable<Uint8Array> };

/** The workspace service on a database of its own, amid other services that know what a test gives them. */
export interface WorkspaceFixture extends Surroundings {
  database: Database;
  /** For another replica of the service. */
  premises: { url: string; encryptionKey: string };
  /** A tenant with one deployment and an administrator. */
  newTenant(): { tenantId: number; deploymentId: number; admin: Principal };
  /** Somebody of the tenant with the licence tier Explorer and the deployment open. */
  newUser(tenantId: number): Principal & { userId: number };
  call<Id extends OperationId>(principal: Principal, operationId: Id, request?: Request): Promise<ReplyOf<Id>>;
  /** What an operation streams. */
  read(principal: Principal, operationId: OperationId, request?: Request): Promise<{ type: string; text: string }>;
  /** As {@link read}, of bytes. */
  bytes(
    principal: Principal,
    operationId: OperationId,
    request?: Request,
  ): Promise<{ headers: Record<string, string>; bytes: Buffer }>;
  /** Status and code of a call that is refused. */
  refusal(principal: Principal, operationId: OperationId, request?: Request): Promise<{ status: number; code: string }>;
  /** All that a call that is refused is told. */
  error(principal: Principal, operationId: OperationId, request?: Request): Promise<AppError>;
  stop(): Promise<void>;
}

/** An answer of an engine. */
export const answered = (
  body: unknown,
  status = 200,
): { headers: Record<string, string>; stream: AsyncIterable<Uint8Array> } => ({
  headers: { status: String(status) },
  stream: (async function* () {
    yield Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  })(),
});

let ids = 0;

export interface WorkspaceOptions {
  /** Settings beside those that every test has. */
  settings?: Record<string, string>;
  /** The database of another fixture, and its key: for one more replica. */
  premises?: { url: string; encryptionKey: string };
  /** What is known before the service starts. */
  prepare?: (surroundings: Surroundings) => void;
}

export async function startWorkspace(
  transport: (typeof transports)[number] = 'in-process',
  { settings = {}, premises, prepare }: WorkspaceOptions = {},
): Promise<WorkspaceFixture> {
  const nats = transport === 'NATS' ? await startNatsServer() : undefined;
  const hub = new InProcessHub();
  const connect = (
    name: 'control-plane' | 'build-worker' | 'runtime' | 'workspace' | 'embed' | 'agents' | 'gateway',
  ): Promise<Bus> => createBus({ name, hub, logger, natsUrl: nats?.url });
  const surroundings: Surroundings = {
    deployments: new Map(),
    people: new Map(),
    policies: new Map(),
    restrictedTenants: new Set(),
    tenantsWithoutPython: new Set(),
    embedSubjects: new Map(),
    embedTenants: new Map(),
    embedPeople: new Map(),
    tenantsWithoutEmbedding: new Set(),
    embedSessions: new Map(),
    models: new Map(),
    summarize: undefined,
    queryEngine: () => Promise.reject(new Error('no query is expected')),
  };
  prepare?.(surroundings);
  const [controlPlane, builds, engines, embed, agents, edge] = [
    await connect('control-plane'),
    await connect('build-worker'),
    await connect('runtime'),
    await connect('embed'),
    await connect('agents'),
    await connect('gateway'),
  ];
  await controlPlane.serve(controlPlaneOf(surroundings));
  await embed.serve(embedOf(surroundings));
  await agents.serve(agentsOf(surroundings));
  await builds.serve(buildWorkerOf(surroundings));
  await engines.serve(handlers({ queryEngine: (call: Call<'queryEngine'>) => surroundings.queryEngine(call) }));
  const encryptionKey = premises?.encryptionKey ?? randomBytes(32).toString('base64');
  const { url, database, drop } = premises
    ? await openAgain({ url: premises.url, encryptionKey })
    : await createTestDatabase(workspaceSchema);
  const environment = { PLINTH_DATABASE_URL: url, PLINTH_ENCRYPTION_KEYS: encryptionKey, ...settings };
  const [bus, metrics] = [await connect('workspace'), new Registry()];
  const sandboxes = new Sandboxes({ logger, metrics, onNoWall: () => undefined });
  const config = loadConfig(workspaceSettings, environment);
  const running = await workspace.start({ config, bus, logger, metrics, sandboxes });

  const send = <Id extends OperationId>(principal: Principal, operationId: Id, request: Request = {}) => {
    const call = { principal, path: {}, query: {}, ...request } as unknown as Call<Id>;
    return runInContext({ requestId: 'test', ...requestContext() }, () => edge.call(operationId, call));
  };
  const open = (principal: Principal, operationId: OperationId, request: Request) => {
    const call = { principal, path: {}, query: {}, ...request } as unknown as Call<OperationId>;
    return runInContext({ requestId: 'test' }, () => edge.callForStream(operationId, call));
  };
  const fixture: Omit<WorkspaceFixture, keyof Surroundings> = {
    database,
    premises: { url, encryptionKey },
    newTenant: () => {
      const [tenantId, deploymentId] = [(ids += 1) + 1_000, ids];
      surroundings.deployments.set(deploymentId, { tenantId });
      return { tenantId, deploymentId, admin: { ...newPrincipal(surroundings, tenantId), isAdmin: true } };
    },
    newUser: (tenantId) => newPrincipal(surroundings, tenantId),
    call: async (principal, operationId, request) => {
      const reply = await send(principal, operationId, request);
      expect(validateReply(operationId, operation(operationId).successStatus, reply)).toEqual([]);
      return reply;
    },
    read: async (principal, operationId, request) => {
      const { headers, bytes } = await fixture.bytes(principal, operationId, request);
      return { type: headers['content-type'] ?? '', text: bytes.toString() };
    },
    bytes: async (principal, operationId, request = {}) => {
      const { headers, stream } = await open(principal, operationId, request);
      const parts: Uint8Array[] = [];
      for await (const part of stream) parts.push(part);
      return { headers, bytes: Buffer.concat(parts) };
    },
    refusal: async (principal, operationId, request) => {
      const { status, code } = await fixture.error(principal, operationId, request);
      return { status, code };
    },
    error: async (principal, operationId, request = {}) => {
      const isStreamed = operation(operationId).stream === 'response';
      const sent = isStreamed ? open(principal, operationId, request) : send(principal, operationId, request);
      const error: unknown = await (sent as Promise<unknown>).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof AppError)) throw new Error(`${operationId} was not refused`, { cause: error });
      return error;
    },
    stop: async () => {
      await running.close();
      await Promise.all([bus, edge, controlPlane, builds, engines, embed, agents].map((each) => each.close()));
      await drop();
      await nats?.stop();
    },
  };
  return Object.assign(surroundings, fixture);
}

function newPrincipal({ people }: Surroundings, tenantId: number): Principal & { userId: number } {
  const userId = (ids += 1);
  const email = `user-${userId}@example.com`;
  people.set(userId, { id: userId, email, firstName: `User ${userId}`, picture: null });
  return {
    kind: 'api-key',
    tenantId,
    tenantName: `tenant-${tenantId}`,
    credentialId: `key:${userId}`,
    userId,
    userName: email,
    email,
    isAdmin: false,
    deploymentIds: null,
    grants: [
      { action: 'AIBIExplore', deploymentIds: null },
      { action: 'AIBIView', deploymentIds: null },
      { action: 'DeploymentRead', deploymentIds: null },
    ],
  };
}

async function openAgain({ url, encryptionKey }: { url: string; encryptionKey: string }) {
  const secrets = new SecretBox([encryptionKey]);
  const database = await Database.open({ ...workspaceSchema, url, secrets, migrate: 'none' });
  return { url, database, drop: () => database.close() };
}
