import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, PathOf, Schemas } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { EngineCaller } from '@plinth/queries';
import { AgentRights, AgentsRepository, AgentsService, type Agent } from '../agents';
import type { Asker } from '../askers';

type Question = BodyOf<'streamChatState'>;
/** An agent by its own number, or the automatic one of a deployment. */
export type ChatAddress = PathOf<'streamChatState'> | PathOf<'streamDeploymentChatState'>;

/** Of an engine. An agent has no use for more rows: it is to ask for sums. */
const ANSWER_LIMIT_BYTES = 8 << 20;

/** Finds what a question is put to: the agent, and the data model that it looks at. */
@Injectable()
export class ChatPlaces {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly agents: AgentsRepository,
    private readonly automatic: AgentsService,
    private readonly rights: AgentRights,
  ) {}

  /**
   * @throws AppError `account.not_found`, `deployment.not_found`, `agent.not_found` (404), also for one that the caller may not
   *   ask, `chat.agent_required` (403) for an API key at the address of a deployment, and as `requireAccess` for a credential
   *   that the deployment is closed to (403)
   */
  async agentFor(principal: Principal, address: ChatAddress): Promise<Agent> {
    if (address.accountName !== principal.tenantName) {
      throw new AppError('account.not_found', 'There is no such account here');
    }
    if ('deploymentId' in address) return this.agentOf(principal, address.deploymentId);
    const agent = await this.database.transaction(principal.tenantId, (tx) => this.agents.find(tx, address.agentId));
    await this.rights.require(principal, agent, 'AgentRead');
    return agent;
  }

  private async agentOf(principal: Principal, deploymentId: number): Promise<Agent> {
    if (principal.kind !== 'api-key') return this.automatic.automaticOf(principal, deploymentId);
    throw new AppError('chat.agent_required', 'agentId is required for Api-Key authentication');
  }

  /** @throws AppError `environment.not_found` (404), `request.invalid` (400) */
  async readerFor(principal: Principal, agent: Agent, asker: Asker, question: Question): Promise<EngineCaller> {
    const { tenantId } = principal;
    const { deploymentId } = agent;
    const branchName = asker.branchName === undefined ? branchOf(question) : asker.branchName;
    const asked = { deploymentId, branchName };
    const { environment } = await this.bus.ask('locateEnvironment', systemPrincipal(tenantId), asked);
    const isChosen = asker.branchName !== undefined;
    if (!environment || !(isChosen || isOpen(environment, principal))) {
      throw new AppError('environment.not_found', 'Nothing serves this branch of the deployment');
    }
    const { identity, securityContext } = asker;
    const asking = { tenantId, credentialId: identity };
    return { principal: asking, deploymentId, environment, securityContext, answerLimitBytes: ANSWER_LIMIT_BYTES };
  }
}

/** What somebody is about to change is theirs; administrators see everything. A token opens one environment. */
function isOpen({ type, environmentId }: Schemas['LocatedEnvironment'], { isAdmin, asker }: Principal): boolean {
  if (!asker) return isAdmin || type !== 'development';
  return asker.environmentId === null ? type === 'production' : asker.environmentId === environmentId;
}

function branchOf({ activeBranchName, isDefaultBranch = activeBranchName === undefined }: Question): string | null {
  if (isDefaultBranch) return null;
  if (activeBranchName !== undefined) return activeBranchName;
  throw invalidRequest('/body/activeBranchName', 'is required unless isDefaultBranch is true');
}

/** @throws AppError `request.invalid` (400) */
export function timeZoneOf({ sessionSettings, settings }: Question, { timeZone }: Asker): string {
  const wanted = sessionSettings?.timezone ?? settings?.timezone ?? timeZone ?? 'UTC';
  try {
    return new Intl.DateTimeFormat('en', { timeZone: wanted }).resolvedOptions().timeZone;
  } catch {
    throw invalidRequest('/body/sessionSettings/timezone', 'must be an IANA time zone');
  }
}
