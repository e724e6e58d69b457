import type { BodyOf, OperationId, Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { Call, Handler } from '@plinth/messaging';

type Policy = Schemas['ContentPolicy'];

/** What the other services know. Tests change it. */
export interface Surroundings {
  /** Ids of the deployments that there are, each of its tenant. */
  deployments: Map<number, { tenantId: number }>;
  people: Map<number, Schemas['Person']>;
  /** What happens before the control plane, or embed, tells who people are. */
  beforePeople: (() => Promise<void>) | undefined;
  /** Rights of users on content, by the id of the user. */
  policies: Map<number, Policy[]>;
  /** Tenants that keep their data from being downloaded. */
  restrictedTenants: Set<number>;
  /** Tenants that have no Python programs run. */
  tenantsWithoutPython: Set<number>;
  /** Embed users that there are or may be, by `tenant/externalId`: what their queries run under. */
  embedSubjects: Map<string, { embedUserId: number; securityContext: Record<string, unknown> }>;
  /** Embed tenants by `tenantId/name`, with their ids. */
  embedTenants: Map<string, number>;
  embedPeople: Map<number, Schemas['Person']>;
  /** Groups and users of embed tenants: their ids and names by `tenantId/name` of the embed tenant. */
  colleagues: Map<string, { groups: Map<number, string>; users: Map<number, string> }>;
  /** Tenants that have switched embedding off. */
  tenantsWithoutEmbedding: Set<number>;
  /** Embed sessions that live, by their ids. */
  embedSessions: Map<string, Partial<Schemas['EmbedSessionFacts']>>;
  /** Members of the data models of branches, by the name of the branch. */
  models: Map<string, Schemas['CubeMembers'][]>;
  /** What a language model says of figures that have changed; undefined where there is none. */
  summarize: ((changes: BodyOf<'summarizeChanges'>) => Promise<string>) | undefined;
  /** What the runtimes answer. */
  queryEngine: (
    call: Call<'queryEngine'>,
  ) => Promise<{ headers: Record<string, string>; stream: AsyncIterable<Uint8Array> }>;
}

/** The parts of the control plane that workspace calls. */
export function controlPlaneOf(known: Surroundings): ReadonlyMap<OperationId, Handler> {
  const { deployments, people, policies, restrictedTenants, tenantsWithoutPython } = known;
  const requireDeployment = (tenantId: number, id: number): void => {
    if (deployments.get(id)?.tenantId === tenantId) return;
    throw new AppError('deployment.not_found', 'There is no such deployment');
  };
  return handlers({
    describeDeployment: async ({ principal, body }: Call<'describeDeployment'>) => {
      requireDeployment(principal.tenantId, body.deploymentId);
      const description: Schemas['DeploymentDescription'] = {
        id: body.deploymentId,
        tenantId: principal.tenantId,
        name: `deployment-${body.deploymentId}`,
        deployMode: 'git',
        deployBranchName: 'main',
        deployBranchReadOnly: false,
        deployBranchMergeAllowed: true,
        deployProjectRoot: '',
        creationMethod: 'upload',
      };
      return description;
    },
    describeContentRights: async ({ principal, body }: Call<'describeContentRights'>) => {
      requireDeployment(principal.tenantId, body.deploymentId);
      return { policies: policies.get(body.userId) ?? [] };
    },
    locateEnvironment: async ({ principal, body }: Call<'locateEnvironment'>) => {
      requireDeployment(principal.tenantId, body.deploymentId);
      const branchName = body.branchName ?? 'main';
      return { environment: { environmentId: body.deploymentId, branchName, type: 'production' as const } };
    },
    describeDataCaller: async ({ principal, body }: Call<'describeDataCaller'>) => {
      const userId = body.email === undefined ? body.userId : idOf(people, body.email);
      if (userId !== null && !people.has(userId))
        throw new AppError('auth.credential_invalid', 'There is no such user');
      return {
        userId,
        securityContext: userId === null ? {} : { cubeCloud: { userId } },
        isDownloadRestricted: restrictedTenants.has(principal.tenantId),
        isPythonEnabled: !tenantsWithoutPython.has(principal.tenantId),
        timeZone: null,
      };
    },
    describeMailRecipients: async ({ body }: Call<'describeMailRecipients'>) => ({
      users: [...people.values()]
        .filter(({ id, email }) => body.userIds.includes(id) || body.emails.some((one) => one.toLowerCase() === email))
        .map(({ id, email }) => ({ id, email, username: email })),
      baseUrl: 'https://acme.test',
    }),
    describePeople: async ({ body }: Call<'describePeople'>) => {
      await known.beforePeople?.();
      return { people: body.userIds.flatMap((id) => people.get(id) ?? []) };
    },
  });
}

const idOf = (people: Surroundings['people'], address: string): number =>
  [...people.values()].find(({ email }) => email.toLowerCase() === address.toLowerCase())?.id ?? 0;

/** The part of the build worker that workspace calls. */
export const buildWorkerOf = ({ models }: Surroundings): ReadonlyMap<OperationId, Handler> =>
  handlers({
    describeModelMembers: async ({ body }: Call<'describeModelMembers'>) => {
      const branchName = body.branchName || 'main';
      const cubes = models.get(branchName);
      if (cubes) return { branchName, cubes };
      throw new AppError('branch.not_found', `There is no branch ${branchName}`);
    },
  });

/** The part of agents that workspace calls. */
export const agentsOf = (known: Surroundings): ReadonlyMap<OperationId, Handler> =>
  handlers({
    describeAiProvider: async () => ({ isSet: known.summarize !== undefined }),
    summarizeChanges: async ({ body }: Call<'summarizeChanges'>) => {
      if (!known.summarize) throw new AppError('ai_provider.missing', 'There is no language model');
      return { text: await known.summarize(body) };
    },
  });

export const handlers = (served: Record<string, unknown>): ReadonlyMap<OperationId, Handler> =>
  new Map(Object.entries(served)) as unknown as ReadonlyMap<OperationId, Handler>;
