import { systemPrincipal, type Principal } from '@plinth/auth';
import { loadConfig } from '@plinth/config';
import type { OperationId, ReplyOf, Schemas } from '@plinth/contract';
import type { Database, SecretBox } from '@plinth/database';
import type { ErrorCode } from '@plinth/errors';
import { Sandboxes } from '@plinth/host';
import { createBus, InProcessHub, type Bus, type Handler } from '@plinth/messaging';
import { runInContext } from '@plinth/observability';
import { BusCaller, createTestDatabase, startNatsServer, testEncryptionKey, type BusRequest } from '@plinth/testing';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { controlPlane, controlPlaneSchema } from '../index';
import { controlPlaneSettings } from '../control-plane.config';

const logger = pino({ enabled: false });

export type Request = BusRequest & { idempotencyKey?: string };

/** The control plane on a database of its own, with a build worker that has the branches that a test gives it. */
export interface Fixture {
  database: Database;
  /** Opens what the service sealed. */
  secrets: SecretBox;
  branches: Schemas['BranchDescription'][];
  /** Calls an operation over the bus and holds its reply against the contract. */
  call<Id extends OperationId>(principal: Principal, operationId: Id, request?: Request): Promise<ReplyOf<Id>>;
  /** The code that a call is refused with. */
  refusal(principal: Principal, operationId: OperationId, request?: Request): Promise<ErrorCode>;
  /** Every notice with the topic from now on. */
  notices(topic: string): Record<string, unknown>[];
  stop(): Promise<void>;
}

export const transports = ['in-process', 'NATS'] as const;

let users = 0;

/** An administrator of a tenant that nobody else uses, with an API key. */
export function newAdmin(): Principal {
  users += 1;
  return { ...systemPrincipal(1_000 + users), kind: 'api-key', credentialId: `api-key:${users}`, userId: users };
}

export const newDeployment = (name: string, more: object = {}) => ({
  name,
  region: 'local',
  cloudProvider: 'cubecloud',
  targetPlatform: 'aws',
  isManaged: true,
  creationStep: 'project',
  ...more,
});

/** @param settings environment variables beside those that every start needs. */
export async function startFixture(
  transport: (typeof transports)[number] = 'in-process',
  settings: Readonly<Record<string, string>> = {},
): Promise<Fixture> {
  const nats = transport === 'NATS' ? await startNatsServer() : undefined;
  const hub = new InProcessHub();
  const connect = (name: 'control-plane' | 'build-worker' | 'gateway'): Promise<Bus> =>
    createBus({ name, hub, logger, natsUrl: nats?.url });
  const buses = {
    own: await connect('control-plane'),
    worker: await connect('build-worker'),
    edge: await connect('gateway'),
  };
  const { url, database, secrets, drop } = await createTestDatabase(controlPlaneSchema);
  const config = loadConfig(controlPlaneSettings, {
    PLINTH_DATABASE_URL: url,
    PLINTH_ENCRYPTION_KEYS: testEncryptionKey,
    ...settings,
  });
  const branches: Schemas['BranchDescription'][] = [];
  await buses.worker.serve(new Map([['listDeploymentBranches', (async () => ({ branches })) as unknown as Handler]]));
  const metrics = new Registry();
  const sandboxes = new Sandboxes({ logger, metrics });
  const service = await controlPlane.start({ config, bus: buses.own, logger, metrics, sandboxes });

  const caller = new BusCaller(buses.edge);
  const inContextOf = <T>(
    operationId: OperationId,
    { idempotencyKey: key, ...request }: Request,
    work: (request: BusRequest) => T,
  ): T => {
    const idempotency =
      key === undefined ? {} : { idempotency: { operationId, key, fingerprint: JSON.stringify(request) } };
    return runInContext({ requestId: 'test', ...idempotency }, () => work(request));
  };
  return {
    database,
    secrets,
    branches,
    call: (principal, operationId, request = {}) =>
      inContextOf(operationId, request, (asked) => caller.call(principal, operationId, asked)),
    refusal: (principal, operationId, request = {}) =>
      inContextOf(operationId, request, async (asked) => (await caller.error(principal, operationId, asked)).code),
    notices: (topic) => caller.notices(topic),
    stop: async () => {
      await service.close();
      await Promise.all(Object.values(buses).map((bus) => bus.close()));
      await drop();
      await nats?.stop();
    },
  };
}

/** What the outbox holds of the tenant's events of a type. */
export async function eventsOf({ database }: Fixture, { tenantId }: Principal, type: string): Promise<unknown[]> {
  const text = 'select distinct payload from outbox where tenant_id = $1 and type = $2';
  const rows = await database.readAsSystem<{ payload: unknown }>({ name: 'events', text }, [tenantId, type]);
  return rows.map(({ payload }) => payload);
}

/** Every row of a list that is paged by cursor, page by page; `between` runs after each page. */
export async function walk<Row>(
  readPage: (after: string | undefined) => Promise<{ items: Row[]; pageInfo: Schemas['PageInfo'] }>,
  between: (page: Row[]) => Promise<unknown> = async () => undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | undefined; ;) {
    const { items, pageInfo } = await readPage(after);
    rows.push(...items);
    if (!pageInfo.hasNextPage || pageInfo.endCursor === null) return rows;
    after = pageInfo.endCursor;
    await between(items);
  }
}
