import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, Schemas } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { AgentRights, AgentsRepository, type Agent } from '../agents';
import type { Asker } from '../askers';

type Question = BodyOf<'streamChatState'>;

/** Of an engine. An agent has no use for more rows: it is to ask for sums. */
const ANSWER_LIMIT_BYTES = 8 << 20;

/** Finds what a question is put to: the agent, and the data model that it looks at. */
@Injectable()
export class ChatPlaces {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly agents: AgentsRepository,
    private readonly rights: AgentRights,
  ) {}

  /**
   * @throws AppError `account.not_found`, `agent.not_found` (404), also for one that the caller may not ask, and as
   *   `requireAccess` for a credential that the deployment is closed to (403)
   */
  async agentFor(principal: Principal, accountName: string, agentId: number): Promise<Agent> {
    if (accountName !== principal.tenantName) throw new AppError('account.not_found', 'There is no such account here');
    const agent = await this.database.transaction(principal.tenantId, (tx) => this.agents.find(tx, agentId));
    await this.rights.require(principal, agent, 'AgentRead');
    return agent;
  }

  /** @throws AppError `environment.not_found` (404), `request.invalid` (400) */
  async readerFor(principal: Principal, agent: Agent, asker: Asker, question: Question): Promise<EngineCaller> {
    const { tenantId, isAdmin } = principal;
    const { deploymentId } = agent;
    const branchName = branchOf(question);
    const asked = { deploymentId, branchName };
    const { environment } = await this.bus.ask('locateEnvironment', systemPrincipal(tenantId), asked);
    if (!environment || !isOpen(environment, isAdmin)) {
      throw new AppError('environment.not_found', 'Nothing serves this branch of the deployment');
    }
    const { identity, securityContext } = asker;
    const asking = { tenantId, credentialId: identity };
    return { principal: asking, deploymentId, environment, securityContext, answerLimitBytes: ANSWER_LIMIT_BYTES };
  }
}

/** What somebody is about to change is theirs; administrators see everything. */
const isOpen = ({ type }: Schemas['LocatedEnvironment'], isAdmin: boolean): boolean =>
  isAdmin || type !== 'development';

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
