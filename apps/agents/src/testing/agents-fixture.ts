import type { Principal } from '@plinth/auth';
import { loadConfig } from '@plinth/config';
import type { ServiceName } from '@plinth/contract';
import type { Database } from '@plinth/database';
import { Sandboxes, type RunningService } from '@plinth/host';
import { createBus, InProcessHub, type Bus, type StreamReply } from '@plinth/messaging';
import { createLogger } from '@plinth/observability';
import { BusCaller, createTestDatabase, startNatsServer, testEncryptionKey, type BusRequest } from '@plinth/testing';
import { Registry } from 'prom-client';
import { agentsSettings } from '../agents.config';
import { agents, agentsSchema } from '../index';
import { serveSurroundings, Surroundings } from './surroundings';

export const transports = ['in-process', 'NATS'] as const;

type StreamOperation = 'streamChatState' | 'streamDeploymentChatState';

/** The agents service on a database of its own, beside a control plane and a runtime that know what a test gives them. */
export interface AgentsFixture extends Pick<BusCaller, 'call' | 'refusal'> {
  database: Database;
  surroundings: Surroundings;
  /** All that was logged. */
  logged(): string;
  /** An administrator of a new account with one deployment. */
  newAccount(): { admin: Principal; deploymentId: number };
  /** The lines of a stream, as they come. */
  stream(principal: Principal, request: BusRequest, operationId?: StreamOperation): Promise<StreamReply>;
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
  let lines = '';
  const logger = createLogger('agents', 'debug', { write: (line: string) => void (lines += line) });
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
  const environment = { PLINTH_DATABASE_URL: url, PLINTH_ENCRYPTION_KEYS: testEncryptionKey };
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

  const caller = new BusCaller(edge, { origin: 'https://acme.test' });
  return {
    database,
    surroundings,
    logged: () => lines,
    addReplica,
    stopFirst: first.close,
    newAccount: () => {
      const tenantId = (ids += 1) + 1_000;
      surroundings.deployments.set(tenantId, tenantId * 10);
      return { admin: adminOf(tenantId), deploymentId: tenantId * 10 };
    },
    call: (...asked) => caller.call(...asked),
    refusal: (...asked) => caller.refusal(...asked),
    stream: (principal, request, operationId = 'streamChatState') => caller.stream(principal, operationId, request),
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
    ...{ groupIds: [], isCreator: false, publicDashboardId: null },
  },
});

export const grantsOf = (...actions: string[]): Principal['grants'] =>
  actions.map((action) => ({ action, deploymentIds: null }));
