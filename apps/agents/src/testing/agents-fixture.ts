import { randomBytes } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import { loadConfig } from '@plinth/config';
import { operation, validateReply, type OperationId, type ReplyOf, type ServiceName } from '@plinth/contract';
import type { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { Sandboxes, type RunningService } from '@plinth/host';
import { createBus, InProcessHub, type Bus, type Call, type StreamReply } from '@plinth/messaging';
import { createLogger, requestContext, runInContext } from '@plinth/observability';
import { createTestDatabase, startNatsServer } from '@plinth/testing';
import { Registry } from 'prom-client';
import { agentsSettings } from '../agents.config';
import { agents, agentsSchema } from '../index';
import { serveSurroundings, Surroundings } from './surroundings';

const logger = createLogger('agents', 'silent');

export const transports = ['in-process', 'NATS'] as const;

type StreamOperation = 'streamChatState' | 'streamDeploymentChatState';
type Request = { path?: object; query?: object; body?: unknown; headers?: object };

/** The agents service on a database of its own, beside a control plane and a runtime that know what a test gives them. */
export interface AgentsFixture {
  database: Database;
  surroundings: Surroundings;
  /** An administrator of a new account with one deployment. */
  newAccount(): { admin: Principal; deploymentId: number };
  call<Id extends OperationId>(principal: Principal, operationId: Id, request?: Request): Promise<ReplyOf<Id>>;
  /** The lines of a stream, as they come. */
  stream(principal: Principal, request: Request, operationId?: StreamOperation): Promise<StreamReply>;
  /** Status and code of a call that is refused. */
  refusal(principal: Principal, operationId: OperationId, request?: Request): Promise<{ status: number; code: string }>;
  /** One more replica of the service. Returns what stops it. */
  addReplica(): Promise<RunningService>;
  /** Replaces the process that was there first by nothing. */
  stopFirst(): Promise<void>;
  stop(): Promise<void>;
}

let ids = 0;

export async function startAgents(
  transport: (typeof transports)[number] = 'in-process',
  settings: Record<string, string> = {},
): Promise<AgentsFixture> {
  const nats = transport === 'NATS' ? await startNatsServer() : undefined;
  const hub = new InProcessHub();
  const connect = (name: ServiceName | 'gateway'): Promise<Bus> => createBus({ name, hub, logger, natsUrl: nats?.url });
  const surroundings = new Surroundings();
  const edge = await connect('gateway');
  const around = {
    controlPlane: await connect('control-plane'),
    worker: await connect('build-worker'),
    runtime: await connect('runtime'),
    workspace: await connect('workspace'),
    embed: await connect('embed'),
  };
  await serveSurroundings(around, surroundings);
  const { url, database, drop } = await createTestDatabase(agentsSchema);
  const environment = { PLINTH_DATABASE_URL: url, PLINTH_ENCRYPTION_KEYS: randomBytes(32).toString('base64') };
  const config = loadConfig(agentsSettings, { ...environment, ...settings });
  const stops: (() => Promise<void>)[] = [];
  const addReplica = async (): Promise<RunningService> => {
    const [bus, metrics] = [await connect('agents'), new Registry()];
    const sandboxes = new Sandboxes({ logger, metrics, onNoWall: () => undefined });
    const running = await agents.start({ config, bus, logger, metrics, sandboxes });
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => (closing ??= running.close().then(() => bus.close()));
    stops.push(close);
    return { ...running, close };
  };
  const first = await addReplica();

  const send = <Id extends OperationId>(principal: Principal, operationId: Id, request: Request = {}) => {
    const call = { principal, path: {}, query: {}, ...request } as unknown as Call<Id>;
    const context = { requestId: 'test', origin: 'https://acme.test', ...requestContext() };
    return runInContext(context, () => edge.call(operationId, call));
  };
  return {
    database,
    surroundings,
    addReplica,
    stopFirst: first.close,
    newAccount: () => {
      const tenantId = (ids += 1) + 1_000;
      surroundings.deployments.set(tenantId, tenantId * 10);
      return { admin: adminOf(tenantId), deploymentId: tenantId * 10 };
    },
    call: async (principal, operationId, request) => {
      const reply = await send(principal, operationId, request);
      const status = operationId === 'callMcp' && reply === undefined ? 202 : operation(operationId).successStatus;
      expect(validateReply(operationId, status, reply)).toEqual([]);
      return reply;
    },
    stream: (principal, request, operationId = 'streamChatState') => {
      const call = { principal, query: {}, ...request } as unknown as Call<StreamOperation>;
      return runInContext({ requestId: 'test' }, () => edge.callForStream(operationId, call));
    },
    refusal: async (principal, operationId, request) => {
      const isStream = operation(operationId).stream === 'response';
      const sent = isStream
        ? edge.callForStream(operationId, {
            principal,
            path: {},
            query: {},
            ...request,
          } as unknown as Call<OperationId>)
        : send(principal, operationId, request);
      const error: unknown = await (sent as Promise<unknown>).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof AppError)) throw new Error(`${operationId} was not refused`, { cause: error });
      return { status: error.status, code: error.code };
    },
    stop: async () => {
      for (const stop of stops) await stop();
      await Promise.all([edge, ...Object.values(around)].map((each) => each.close()));
      await drop();
      await nats?.stop();
    },
  };
}

const adminOf = (tenantId: number): Principal => ({
  kind: 'api-key',
  tenantId,
  tenantName: `tenant-${tenantId}`,
  credentialId: `key:${tenantId}`,
  userId: tenantId,
  userName: 'Admin',
  email: `admin-${tenantId}@example.com`,
  isAdmin: true,
  deploymentIds: null,
  grants: [],
});

/** Somebody of the account who may ask agents and do nothing else. */
export const viewerOf = (admin: Principal): Principal => ({
  ...admin,
  credentialId: `viewer:${admin.tenantId}`,
  userId: admin.tenantId + 500_000,
  email: `viewer-${admin.tenantId}@example.com`,
  isAdmin: false,
  grants: grantsOf('AIBIView', 'DeploymentRead', 'DeploymentAgentRead'),
});

/** Somebody of the account who may do with agents what policies say, and nothing else. */
export const explorerOf = (admin: Principal): Principal => ({
  ...viewerOf(admin),
  grants: grantsOf('AIBIView', 'AIBIExplore', 'DeploymentRead'),
});

/** An embed user in a session of the deployment, who makes nothing. */
export const embedUserOf = (admin: Principal, deploymentId: number, embedUserId = 7): Principal => ({
  ...viewerOf(admin),
  kind: 'embed-session',
  credentialId: `embed:${embedUserId}`,
  userId: null,
  email: null,
  deploymentIds: [deploymentId],
  grants: grantsOf('AIBIView', 'DeploymentRead', 'EmbedDeploymentRead'),
  embed: {
    ...{ sessionId: `session-${embedUserId}`, deploymentId, embedUserId, embedTenantName: 'acme' },
    ...{ isCreator: false, publicDashboardId: null },
  },
});

export const grantsOf = (...actions: string[]): Principal['grants'] =>
  actions.map((action) => ({ action, deploymentIds: null }));
