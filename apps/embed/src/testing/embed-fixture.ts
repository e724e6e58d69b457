import { embedGrants, type Principal } from '@plinth/auth';
import { loadConfig } from '@plinth/config';
import type { OperationId, ReplyOf } from '@plinth/contract';
import type { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { Sandboxes } from '@plinth/host';
import { createBus, InProcessHub, type Bus, type Call, type Handler } from '@plinth/messaging';
import { createLogger } from '@plinth/observability';
import { BusCaller, createTestDatabase, startNatsServer, testEncryptionKey } from '@plinth/testing';
import { Registry } from 'prom-client';
import { embedSettings } from '../embed.config';
import { embed, embedSchema } from '../index';

const logger = createLogger('embed', 'silent');

export const transports = ['in-process', 'NATS'] as const;

type Attribute = ReplyOf<'resolveEmbedGrants'>['attributes'][number];

/** What an account has in the control plane. Tests change it. */
export interface TestAccount {
  tenantId: number;
  admin: Principal;
  /** Ids of groups by their names. */
  groups: Map<string, number>;
  attributes: Attribute[];
  isEmbeddingEnabled: boolean;
  hasComments: boolean;
  /** Ids of the dashboards of the workspace service by their public ids, all in deployment 7; everybody sees them. */
  dashboards: Map<string, number>;
  isCreatorModeEnabled: boolean;
  /** Deployments by their ids, with the branches that are served and those that are not. */
  deployments: Map<number, { served: string[]; others: string[] }>;
  /** Users who are active, by their usernames. */
  users: Map<string, { userId: number; generation: number; isAdmin: boolean }>;
}

/** The embed service on a database of its own, beside a control plane that knows what a test gives it. */
export interface EmbedFixture extends Pick<BusCaller, 'call' | 'refusal' | 'notices'> {
  database: Database;
  newAccount(): TestAccount;
  stop(): Promise<void>;
}

let ids = 0;

export async function startEmbed(
  transport: (typeof transports)[number] = 'in-process',
  settings: Record<string, string> = {},
): Promise<EmbedFixture> {
  const nats = transport === 'NATS' ? await startNatsServer() : undefined;
  const hub = new InProcessHub();
  const connect = (name: 'control-plane' | 'workspace' | 'embed' | 'gateway'): Promise<Bus> =>
    createBus({ name, hub, logger, natsUrl: nats?.url });
  const accounts = new Map<number, TestAccount>();
  const [controlPlane, workspace] = [await connect('control-plane'), await connect('workspace')];
  const [edge, bus] = [await connect('gateway'), await connect('embed')];
  await controlPlane.serve(controlPlaneOf(accounts));
  await workspace.serve(workspaceOf(accounts));
  const { url, database, drop } = await createTestDatabase(embedSchema);
  const environment = { PLINTH_DATABASE_URL: url, PLINTH_ENCRYPTION_KEYS: testEncryptionKey };
  const config = loadConfig(embedSettings, { ...environment, ...settings });
  const metrics = new Registry();
  const sandboxes = new Sandboxes({ logger, metrics, onNoWall: () => undefined });
  const running = await embed.start({ config, bus, logger, metrics, sandboxes });

  const caller = new BusCaller(edge);
  return {
    database,
    newAccount: () => {
      const tenantId = (ids += 1) + 1_000;
      const account: TestAccount = {
        tenantId,
        admin: adminOf(tenantId),
        groups: new Map(),
        attributes: [],
        isEmbeddingEnabled: true,
        hasComments: true,
        dashboards: new Map(),
        isCreatorModeEnabled: true,
        deployments: new Map(),
        users: new Map(),
      };
      accounts.set(tenantId, account);
      return account;
    },
    call: (...asked) => caller.call(...asked),
    refusal: (...asked) => caller.refusal(...asked),
    notices: (topic) => caller.notices(topic),
    stop: async () => {
      await running.close();
      await Promise.all([bus, edge, controlPlane, workspace].map((each) => each.close()));
      await drop();
      await nats?.stop();
    },
  };
}

/** An embed user of an embed tenant, as the gateway finds them behind the token of a session. */
export const sessionOf = (
  { tenantId }: TestAccount,
  embedTenantName: string | null,
  embedUserId: number | null,
  isCreator = false,
): Principal => ({
  ...adminOf(tenantId),
  kind: 'embed-session',
  credentialId: `embed-session:${embedTenantName}:${embedUserId}`,
  userId: null,
  userName: 'Embed user',
  email: null,
  isAdmin: false,
  deploymentIds: [7],
  grants: embedGrants(7, isCreator),
  embed: {
    sessionId: 'session',
    deploymentId: 7,
    embedUserId,
    embedTenantName,
    groupIds: [],
    isCreator,
    publicDashboardId: null,
  },
});

const adminOf = (tenantId: number): Principal => ({
  kind: 'api-key',
  tenantId,
  tenantName: `tenant-${tenantId}`,
  credentialId: `key:${tenantId}`,
  userId: tenantId,
  userName: 'Admin',
  email: 'admin@example.com',
  isAdmin: true,
  deploymentIds: null,
  grants: [],
});

/** The parts of the control plane that embed calls. */
function controlPlaneOf(accounts: ReadonlyMap<number, TestAccount>): ReadonlyMap<OperationId, Handler> {
  const resolveEmbedGrants = async ({ principal, body }: Call<'resolveEmbedGrants'>) => {
    const account = accounts.get(principal.tenantId);
    const all = [...(account?.groups ?? [])].map(([name, id]) => ({ id, name }));
    const attributes = account?.attributes ?? [];
    if (body.groups.some((name) => !account?.groups.has(name))) {
      throw new AppError('user_group.unknown_name', `Groups with names ${body.groups.join(', ')} not found`);
    }
    if (body.userAttributes.some(({ name }) => !attributes.some((attribute) => attribute.name === name))) {
      throw new AppError('user_attribute.unknown_name', 'User attributes not found');
    }
    const groups = all.filter(({ id, name }) => body.groups.includes(name) || body.groupIds.includes(id));
    return { groups, attributes };
  };
  const describeEmbedding = async ({ principal }: Call<'describeEmbedding'>) => ({
    isEnabled: accounts.get(principal.tenantId)?.isEmbeddingEnabled ?? false,
    ...{ origins: [], locale: null, timeZone: null },
    hasComments: accounts.get(principal.tenantId)?.hasComments ?? true,
    allowsAi: true,
  });
  const prepareEmbedSession = async ({ principal, body }: Call<'prepareEmbedSession'>) => {
    const account = accounts.get(principal.tenantId) as TestAccount;
    const deployment = account.deployments.get(body.deploymentId);
    if (!account.isEmbeddingEnabled) throw new AppError('embedding.off', 'Embedding is off');
    if (body.isCreator && !account.isCreatorModeEnabled) throw new AppError('embedding.creator_mode_off', 'Off');
    if (!deployment) throw new AppError('deployment.not_found', 'There is no such deployment');
    const branchName = branchOf(deployment, body.branchName);
    const user = body.username === null ? null : account.users.get(body.username);
    if (user === undefined) throw new AppError('user.not_found', 'There is no such user');
    const request = { ...body, groupIds: [] };
    const { groups, attributes } = await resolveEmbedGrants({ principal, body: request } as never);
    const named = attributes.filter(({ name }) => body.userAttributes.some((given) => given.name === name));
    const reference = user && { userId: user.userId, generation: user.generation };
    return { branchName, user: reference, groups, attributes: named };
  };
  const describeAccountUser = async ({ principal, body }: Call<'describeAccountUser'>) => {
    const users = [...(accounts.get(principal.tenantId)?.users ?? [])];
    const [name, user] = users.find(([, each]) => each.userId === body.userId) ?? [];
    if (!name || user?.generation !== body.generation) return { user: null };
    const grants = [{ action: 'AIBIView', deploymentIds: null }];
    return { user: { userName: name, email: `${name}@plinth.test`, isAdmin: user.isAdmin, grants } };
  };
  const describeDataCaller = async ({ body }: Call<'describeDataCaller'>) => ({
    userId: body.userId,
    securityContext: { cubeCloud: { userId: body.userId } },
    isDownloadRestricted: false,
    timeZone: null,
  });
  const served = {
    resolveEmbedGrants,
    describeEmbedding,
    prepareEmbedSession,
    describeAccountUser,
    describeDataCaller,
  };
  return handlers(served);
}

function branchOf({ served, others }: { served: string[]; others: string[] }, name: string | null): string | null {
  if (name === null || name === 'main') return null;
  if (served.includes(name)) return name;
  if (others.includes(name)) throw new AppError('branch.not_served', 'Nothing serves the branch');
  throw new AppError('branch.not_found', 'There is no such branch');
}

/** The part of the workspace service that embed calls. */
function workspaceOf(accounts: ReadonlyMap<number, TestAccount>): ReadonlyMap<OperationId, Handler> {
  const describeEmbeddedDashboard = async ({ principal, body }: Call<'describeEmbeddedDashboard'>) => {
    const id = accounts.get(principal.tenantId)?.dashboards.get(body.publicId);
    if (id === undefined) throw new AppError('dashboard.not_found', 'There is no such dashboard');
    return { id, publicId: body.publicId, workbookId: id, deploymentId: 7, title: 'Sales' };
  };
  return handlers({ describeEmbeddedDashboard });
}

const handlers = (served: Record<string, unknown>): ReadonlyMap<OperationId, Handler> =>
  new Map(Object.entries(served)) as unknown as ReadonlyMap<OperationId, Handler>;
