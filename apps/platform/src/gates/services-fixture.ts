import 'reflect-metadata';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { loadConfig, type processSettings, type Settings } from '@plinth/config';
import {
  operation,
  validateRequest,
  type BodyOf,
  type OperationId,
  type RawParameters,
  type ReplyOf,
} from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { Sandboxes, type RunningService, type ServiceDefinition } from '@plinth/host';
import { cancelStream, createBus, InProcessHub, type Bus, type Call, type StreamReply } from '@plinth/messaging';
import { createLogger } from '@plinth/observability';
import { createEmptyDatabase, type ExampleRequest } from '@plinth/testing';
import { Registry } from 'prom-client';
import { agents } from '../../../agents/src';
import { buildWorker } from '../../../build-worker/src';
import { controlPlane, tenantsService } from '../../../control-plane/src';
import { embed } from '../../../embed/src';
import { runtime } from '../../../runtime/src';
import { scim } from '../../../scim/src';
import { workspace } from '../../../workspace/src';
import { withDatabaseOf } from '../operator/open-database';

const logger = createLogger('services', 'silent');

/** How a call ended: `status` and `code` of the error, or the reply. */
export interface Outcome {
  status: number;
  code: string | undefined;
}

/** Every service behind the bus, and no gateway before it: whatever is refused, a service refuses. */
export interface Services {
  /** Where they keep everything. */
  stored: { url: string; storageRoot: string };
  call<Id extends OperationId>(
    principal: Principal,
    operationId: Id,
    request?: Partial<ExampleRequest<Id>>,
  ): Promise<ReplyOf<Id>>;
  outcome(
    principal: Principal,
    operationId: OperationId,
    request?: Partial<ExampleRequest<OperationId>>,
  ): Promise<Outcome>;
  /** A tenant, and its administrator by an API key. */
  newTenant(name: string): Promise<Principal>;
  /** Somebody by an API key of theirs that the operator issues. */
  newCaller(tenant: Principal, options: { email: string; role: string }): Promise<Principal>;
  /** Who a key stands for in the tenant; null for nobody. */
  identify(tenantId: number, key: string): Promise<Principal | null>;
  /** An embed user of the tenant by the token of a session. */
  newEmbedCaller(admin: Principal, session: BodyOf<'generateSession'>): Promise<Principal>;
  stop(): Promise<void>;
}

export async function startServices(): Promise<Services> {
  const storage = mkdtempSync(join(tmpdir(), 'plinth-gates-'));
  const database = await createEmptyDatabase();
  const environment = {
    PLINTH_DATABASE_URL: database.url,
    PLINTH_DATABASE_POOL_SIZE: '3',
    PLINTH_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    PLINTH_STORAGE_ROOT: storage,
    PLINTH_SANDBOX: 'none',
    PLINTH_COMPILER_SPARES: '0',
    PLINTH_ENGINE_SPARES: '0',
    PLINTH_ENGINE_PRIVATE_ADDRESSES: 'true',
  };
  const hub = new InProcessHub();
  const edge = await createBus({ name: 'gateway', hub, logger });
  const stops: (() => Promise<void>)[] = [];
  const start = async <S extends Settings & typeof processSettings>(service: ServiceDefinition<S>): Promise<void> => {
    const metrics = new Registry();
    const bus = await createBus({ name: service.name, hub, logger });
    const config = loadConfig(service.settings, environment);
    const sandboxes = new Sandboxes({ logger, metrics });
    const running: RunningService = await service.start({ config, bus, logger, metrics, sandboxes });
    stops.push(() => running.close().then(() => bus.close()));
  };
  await Promise.all([
    start(controlPlane),
    start(buildWorker),
    start(runtime),
    start(workspace),
    start(embed),
    start(agents),
    start(scim),
  ]);
  const asOperator = <T>(work: (tenants: ReturnType<typeof tenantsService>) => Promise<T>): Promise<T> =>
    withDatabaseOf(environment, (opened) => work(tenantsService(opened)));

  const identify: Services['identify'] = async (tenantId, key) => {
    const tokenHash = createHash('sha256').update(key).digest('hex');
    const request = { principal: systemPrincipal(tenantId), path: {}, query: {}, body: { tenantId, tokenHash } };
    return (await edge.call('authenticate', request as Call<'authenticate'>)).principal;
  };
  const known = async (tenantId: number, key: string): Promise<Principal> => {
    const principal = await identify(tenantId, key);
    if (!principal) throw new Error('A key that was issued a moment ago is unknown');
    return principal;
  };
  const call: Services['call'] = async (principal, operationId, request) =>
    (await send(edge, operationId, callOf(principal, operationId, request))) as ReplyOf<typeof operationId>;
  return {
    stored: { url: database.url, storageRoot: storage },
    call,
    identify,
    outcome: (principal, operationId, request) =>
      call(principal, operationId, request).then(
        () => ({ status: operation(operationId).successStatus, code: undefined }),
        (thrown: unknown) => {
          const { status, code } = AppError.from(thrown);
          return { status, code };
        },
      ),
    newTenant: async (name) => {
      const hosts = [`${name}.localhost`];
      const { id, admin } = await asOperator((tenants) =>
        tenants.create({ name, hosts, adminEmail: 'admin@localhost' }),
      );
      await asOperator((tenants) => tenants.update(name, { allowPersonalApiKeys: true }));
      return { ...(await known(id, admin.apiKey)), tenantName: name };
    },
    newCaller: async ({ tenantId, tenantName }, options) => {
      const { apiKey } = await asOperator((tenants) => tenants.issueKey({ tenant: tenantName, ...options }));
      return { ...(await known(tenantId, apiKey)), tenantName };
    },
    newEmbedCaller: async (admin, body) => {
      const { sessionId } = await call(admin, 'generateSession', { body });
      const { token } = await call(admin, 'postTokenBySessionId', { body: { sessionId } });
      const system = { ...systemPrincipal(admin.tenantId), tenantName: admin.tenantName };
      const { principal } = await call(system, 'authenticateEmbedSession', { body: { token } });
      if (!principal) throw new Error('A session that was opened a moment ago is unknown');
      return principal;
    },
    stop: async () => {
      await edge.close();
      for (const stop of stops.reverse()) await stop();
      await database.drop();
      rmSync(storage, { recursive: true, force: true });
    },
  };
}

/** What the gateway would call: converted and validated by the contract. */
function callOf<Id extends OperationId>(
  principal: Principal,
  operationId: Id,
  { path = {}, query = {}, body }: Partial<ExampleRequest<Id>> = {},
): Call<Id> {
  const { stream, form, rawBody } = operation(operationId);
  const verdict = validateRequest(operationId, { path: texts(path), query: texts(query), body });
  if (!verdict.ok) throw new Error(`The example of ${operationId} is not valid: ${JSON.stringify(verdict.problems)}`);
  return {
    principal,
    path: verdict.path,
    query: verdict.query,
    body: verdict.body,
    headers: {},
    ...(rawBody && { rawBody: Buffer.from(JSON.stringify(body ?? {})).toString('base64') }),
    ...(stream === 'request' && { upload: form ? oneChunk() : oneChunk(JSON.stringify(body ?? {})) }),
  };
}

async function send(bus: Bus, operationId: OperationId, call: Call<OperationId>): Promise<unknown> {
  if (operation(operationId).stream !== 'response') return bus.call(operationId, call);
  const { stream }: StreamReply = await bus.callForStream(operationId, call);
  await cancelStream(stream);
  return undefined;
}

const texts = (values: object): RawParameters =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [
      name,
      Array.isArray(value) ? value.map(String) : value === undefined ? undefined : String(value),
    ]),
  );

async function* oneChunk(text = 'cubes: []\n'): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
