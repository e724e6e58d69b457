import { EventEmitter, once } from 'node:events';
import type { Principal } from '@plinth/auth';
import { loadConfig } from '@plinth/config';
import type { OperationId } from '@plinth/contract';
import { Database, SecretBox } from '@plinth/database';
import { Sandboxes } from '@plinth/host';
import { createBus, InProcessHub, type Bus, type Call } from '@plinth/messaging';
import { createLogger } from '@plinth/observability';
import { BusCaller, createTestDatabase, startNatsServer, testEncryptionKey, type BusRequest } from '@plinth/testing';
import { Registry } from 'prom-client';
import { workspace, workspaceSchema } from '../index';
import { embedOf } from './embed-surroundings';
import { agentsOf, buildWorkerOf, controlPlaneOf, handlers, type Surroundings } from './surroundings';
import { workspaceSettings } from '../workspace.config';

const logger = createLogger('workspace', 'silent');

export const transports = ['in-process', 'NATS'] as const;

/** The workspace service on a database of its own, amid other services that know what a test gives them. */
export interface WorkspaceFixture extends Surroundings, Pick<BusCaller, 'call' | 'refusal' | 'error'> {
  database: Database;
  /** For another replica of the service. */
  premises: { url: string; encryptionKey: string };
  /** A tenant with one deployment and an administrator. */
  newTenant(): { tenantId: number; deploymentId: number; admin: Principal };
  /** Somebody of the tenant with the licence tier Explorer and the deployment open. */
  newUser(tenantId: number): Principal & { userId: number };
  /** Tells the service what the control plane, or embed, tells everybody; resolves when it has heard it. */
  notice(topic: (typeof NOTICES)[number], tenantId: number): Promise<void>;
  /** What an operation streams. */
  read(principal: Principal, operationId: OperationId, request?: BusRequest): Promise<{ type: string; text: string }>;
  /** As {@link read}, of bytes. */
  bytes(
    principal: Principal,
    operationId: OperationId,
    request?: BusRequest,
  ): Promise<{ headers: Record<string, string>; bytes: Buffer }>;
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

const NOTICES = [
  'control-plane.credential.changed',
  'control-plane.deployment.changed',
  'embed.session.changed',
] as const;

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
    beforePeople: undefined,
    policies: new Map(),
    restrictedTenants: new Set(),
    tenantsWithoutPython: new Set(),
    embedSubjects: new Map(),
    embedTenants: new Map(),
    embedPeople: new Map(),
    colleagues: new Map(),
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
  const encryptionKey = premises?.encryptionKey ?? testEncryptionKey;
  const { url, database, drop } = premises
    ? await openAgain({ url: premises.url, encryptionKey })
    : await createTestDatabase(workspaceSchema);
  const environment = {
    PLINTH_DATABASE_URL: url,
    PLINTH_ENCRYPTION_KEYS: encryptionKey,
    // Tests change what others know without a notice.
    PLINTH_CREDENTIAL_CACHE_MS: '0',
    ...settings,
  };
  const [bus, metrics] = [await connect('workspace'), new Registry()];
  const sandboxes = new Sandboxes({ logger, metrics, onNoWall: () => undefined });
  const config = loadConfig(workspaceSettings, environment);
  const running = await workspace.start({ config, bus, logger, metrics, sandboxes });
  // After the service, which has heard it before, then.
  const heard = new EventEmitter();
  for (const topic of NOTICES) bus.subscribe(topic, () => void heard.emit(topic));

  const caller = new BusCaller(edge);
  const fixture: Omit<WorkspaceFixture, keyof Surroundings> = {
    database,
    premises: { url, encryptionKey },
    newTenant: () => {
      const [tenantId, deploymentId] = [(ids += 1) + 1_000, ids];
      surroundings.deployments.set(deploymentId, { tenantId });
      return { tenantId, deploymentId, admin: { ...newPrincipal(surroundings, tenantId), isAdmin: true } };
    },
    newUser: (tenantId) => newPrincipal(surroundings, tenantId),
    call: (...asked) => caller.call(...asked),
    refusal: (...asked) => caller.refusal(...asked),
    error: (...asked) => caller.error(...asked),
    notice: async (topic, tenantId) => {
      const told = once(heard, topic);
      (topic.startsWith('embed.') ? embed : controlPlane).publish({ topic, payload: { tenantId } });
      await told;
    },
    read: async (principal, operationId, request) => {
      const { headers, bytes } = await fixture.bytes(principal, operationId, request);
      return { type: headers['content-type'] ?? '', text: bytes.toString() };
    },
    bytes: async (principal, operationId, request) => {
      const { headers, stream } = await caller.stream(principal, operationId, request);
      const parts: Uint8Array[] = [];
      for await (const part of stream) parts.push(part);
      return { headers, bytes: Buffer.concat(parts) };
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
