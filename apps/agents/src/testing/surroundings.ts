import { Readable } from 'node:stream';
import type { BodyOf, OperationId, Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { Bus, Call, Handler } from '@plinth/messaging';

type EngineRequest = BodyOf<'queryEngine'>;

/** What the services around agents know. Tests change it. */
export class Surroundings {
  /** The deployment of each tenant. */
  readonly deployments = new Map<number, number>();
  /** Ids of users by their addresses. */
  readonly users = new Map<string, number>();
  /** What policies give users on agents, by the ids of the users. */
  readonly agentPolicies = new Map<number, Schemas['AgentPolicy'][]>();
  /** Skills in the data models, by the names of the branches. */
  readonly skills = new Map<string, Schemas['AgentSkillFile'][]>();
  /** Why a chart cannot be drawn, as the service that draws says it. */
  chartProblem: (check: BodyOf<'checkChart'>) => string | null = () => null;
  isEmbeddingEnabled = true;
  /** Of embed sessions that say nothing of it. */
  accountAllowsAi = true;
  /** Embed sessions by their ids. */
  readonly embedSessions = new Map<string, Partial<Schemas['EmbedSessionFacts']>>();
  /** What engines were asked. */
  readonly asked: EngineRequest[] = [];
  /** What engines answer; lines of `cubesql`, or a document. */
  engine: (request: EngineRequest) => string | Promise<string> = () => '{"cubes":[]}';
}

/** The answer of an engine to SQL. */
export const sqlAnswer = (columns: readonly string[], rows: readonly unknown[][]): string =>
  `${JSON.stringify({ schema: columns.map((name) => ({ name, column_type: 'String' })) })}\n${JSON.stringify({ data: rows })}\n`;

/** Connections of the services around agents. */
export interface AroundAgents {
  controlPlane: Bus;
  worker: Bus;
  runtime: Bus;
  workspace: Bus;
  embed: Bus;
}

export async function serveSurroundings(
  { controlPlane, worker, runtime, workspace, embed }: AroundAgents,
  known: Surroundings,
): Promise<void> {
  await controlPlane.serve(handlersOf(controlPlaneOf(known)));
  await worker.serve(handlersOf(buildWorkerOf(known)));
  const checkChart = async ({ body }: Call<'checkChart'>) => ({ problem: known.chartProblem(body) });
  await workspace.serve(handlersOf({ checkChart }));
  const describeEmbedSession = async ({ body }: Call<'describeEmbedSession'>) =>
    known.embedSessions.get(body.sessionId);
  await embed.serve(handlersOf({ describeEmbedSession }));
  const queryEngine = async ({ body }: Call<'queryEngine'>) => {
    known.asked.push(body);
    return { headers: { status: '200' }, stream: Readable.from([Buffer.from(await known.engine(body))]) };
  };
  await runtime.serve(handlersOf({ queryEngine }));
}

const controlPlaneOf = (known: Surroundings) => ({
  describeDeployment: async ({ principal, body }: Call<'describeDeployment'>) => {
    if (known.deployments.get(principal.tenantId) === body.deploymentId)
      return { id: body.deploymentId, deployBranchName: 'main' };
    throw new AppError('deployment.not_found', `Deployment ${body.deploymentId} does not exist`);
  },
  describeDataCaller: async ({ body }: Call<'describeDataCaller'>) => {
    const userId = body.email === undefined ? body.userId : known.users.get(body.email);
    if (userId === undefined) throw new AppError('auth.credential_invalid', 'Nobody');
    const securityContext = userId === null ? {} : { cubeCloud: { userId } };
    return { userId, securityContext, isDownloadRestricted: false, timeZone: null };
  },
  locateEnvironment: async ({ body }: Call<'locateEnvironment'>) => {
    const branchName = body.branchName ?? 'main';
    const type = { main: 'production', next: 'staging', 'dev-ada': 'development' }[branchName];
    return { environment: type === undefined ? null : { environmentId: 1, branchName, type } };
  },
  describeAgentRights: async ({ body }: Call<'describeAgentRights'>) => ({
    policies: known.agentPolicies.get(body.userId) ?? [],
  }),
  describeEmbedding: async () => ({ isEnabled: known.isEmbeddingEnabled, allowsAi: known.accountAllowsAi }),
  resolveEmbedGrants: async ({ body }: Call<'resolveEmbedGrants'>) => ({
    groups: body.groups.map((name, index) => ({ id: index + 1, name })),
    attributes: [
      { id: 1, name: 'region', defaultValue: 'EU' },
      { id: 2, name: 'desk', defaultValue: null },
    ],
  }),
});

const buildWorkerOf = (known: Surroundings) => ({
  readAgentSkills: async ({ body }: Call<'readAgentSkills'>) => {
    const branchName = body.branchName ?? 'main';
    if (branchName === 'nowhere') throw new AppError('branch.not_found', 'There is no branch nowhere');
    return { files: known.skills.get(branchName) ?? [] };
  },
});

const handlersOf = (handlers: object): ReadonlyMap<OperationId, Handler> =>
  new Map(Object.entries(handlers)) as unknown as ReadonlyMap<OperationId, Handler>;
