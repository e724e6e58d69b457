import { Inject, Injectable } from '@nestjs/common';
import type { Policy, Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database } from '@plinth/database';
import { deploymentNotFound, DeploymentsRepository, OwnContexts } from '../../deployments';
import { callerIsNobody, UsersRepository } from '../../people';
import { EffectivePolicies } from '../../rights';
import { TenantAddresses, TenantSettingsService } from '../../tenancy';

type ContentPolicy = Schemas['ContentPolicy'];
type Level = ContentPolicy['level'];

const LEVELS: readonly [suffix: string, level: Level][] = [
  ['Manage', 'manage'],
  ['Edit', 'edit'],
  ['Read', 'read'],
];

/** Answers the services that keep content and agents: what users may do there, and who owns what. */
@Injectable()
export class ContentDirectoryService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly policies: EffectivePolicies,
    private readonly users: UsersRepository,
    private readonly contexts: OwnContexts,
    private readonly settings: TenantSettingsService,
    private readonly addresses: TenantAddresses,
  ) {}

  /** @throws AppError `deployment.not_found` (404) */
  async rights(
    { tenantId }: Principal,
    { deploymentId, userId }: BodyOf<'describeContentRights'>,
  ): Promise<ReplyOf<'describeContentRights'>> {
    const [deployment, { policies }] = await Promise.all([
      this.deployments.findDescribed(this.database, tenantId, deploymentId),
      this.policies.of(this.database.reader(tenantId, 'few rows'), userId),
    ]);
    if (!deployment) throw deploymentNotFound();
    return { policies: policies.flatMap(contentPoliciesOf) };
  }

  async agentRights(
    { tenantId }: Principal,
    { userId }: BodyOf<'describeAgentRights'>,
  ): Promise<ReplyOf<'describeAgentRights'>> {
    const { policies } = await this.policies.of(this.database.reader(tenantId, 'few rows'), userId);
    return { policies: policies.flatMap(agentPoliciesOf) };
  }

  /** @throws AppError `auth.credential_invalid` (401) for a user who is deactivated or gone. */
  async dataCaller(
    { tenantId }: Principal,
    { userId, email }: BodyOf<'describeDataCaller'>,
  ): Promise<ReplyOf<'describeDataCaller'>> {
    const id = email === undefined ? userId : await this.userWith(tenantId, email);
    const [securityContext, { appConfig, pythonEnabled }] = await Promise.all([
      id === null ? {} : this.contexts.of({ tenantId, userId: id }),
      this.settings.of(tenantId),
    ]);
    const { restrictDataDownload, timezoneSettings } = appConfig;
    return {
      userId: id,
      securityContext,
      isDownloadRestricted: restrictDataDownload === true,
      isPythonEnabled: pythonEnabled,
      timeZone: timezoneSettings?.enabled === true ? (timezoneSettings.timezone ?? null) : null,
    };
  }

  private async userWith(tenantId: number, email: string): Promise<number> {
    const user = await this.database.asSystem((tx) => this.users.findByEmail(tx, tenantId, email));
    if (!user) throw callerIsNobody();
    return user.id;
  }

  /** Users who are active, by ids or by addresses in any case. */
  async mailRecipients(
    { tenantId }: Principal,
    { userIds, emails }: BodyOf<'describeMailRecipients'>,
  ): Promise<ReplyOf<'describeMailRecipients'>> {
    const wanted = { userIds, emails };
    const found = await this.database.asSystem((tx) => this.users.listReachable(tx, tenantId, wanted));
    const users = found.map(({ id, email, username }) => ({ id, email, username }));
    return { users, baseUrl: await this.addresses.baseUrl(tenantId) };
  }

  async people({ tenantId }: Principal, { userIds }: BodyOf<'describePeople'>): Promise<ReplyOf<'describePeople'>> {
    return { people: await this.users.people(this.database.reader(tenantId, 'few rows'), userIds) };
  }
}

/** An action on a kind of thing that it is not about allows nothing. */
function contentPoliciesOf({ resourceType, actions, resources }: Policy): ContentPolicy[] {
  if (resourceType !== 'Folder' && resourceType !== 'Workbook' && resourceType !== 'Report') return [];
  const level = levelOf(resourceType, actions);
  return level === undefined ? [] : idsOf(resources).map((resourceId) => ({ resourceType, resourceId, level }));
}

function agentPoliciesOf({ resourceType, actions, resources }: Policy): Schemas['AgentPolicy'][] {
  const level = resourceType === 'Agent' ? levelOf(resourceType, actions) : undefined;
  if (level === undefined || level === 'edit') return [];
  return idsOf(resources).map((agentId) => ({ agentId, level }));
}

const levelOf = (resourceType: string, actions: readonly string[]): Level | undefined =>
  LEVELS.find(([suffix]) => actions.some((name) => name === 'All' || name === resourceType + suffix))?.[1];

/** Null for all of them. */
const idsOf = (resources: readonly string[]): (number | null)[] =>
  resources.includes('All') ? [null] : resources.map(Number);
