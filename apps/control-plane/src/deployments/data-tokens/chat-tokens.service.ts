import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { ChatTokensRepository } from './chat-tokens.repository';
import { ContextAdditions } from './context-additions';
import { deploymentNamedIn, METADATA_SCOPE } from './data-token';
import { DataTokens, type LiveToken } from './data-tokens.service';
import { TokenHoldersRepository, type TokenHolder } from './token-holders.repository';

type Authenticated = ReplyOf<'authenticateDeploymentToken'>;
type TokenPrincipal = NonNullable<Authenticated['principal']>;

const ACTION = 'DeploymentAgentRead';
/** Without it nobody gets as far as the agents, whose service decides. */
const LICENCE = 'AIBIView';
const SCOPE = 'chat';
/** As in `sessionSettings` of a question: lower case, without blanks. */
const EXTERNAL_ID = /^[^\sA-Z]{1,255}$/;

const nobody = (refusal?: Authenticated['refusal']): Authenticated => ({
  principal: null,
  validForMs: 0,
  ...(refusal && { refusal }),
});

/** Tells whom tokens of deployments stand for where agents are asked with them. */
@Injectable()
export class ChatTokens {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tokens: DataTokens,
    private readonly holders: TokenHoldersRepository,
    private readonly switches: ChatTokensRepository,
    private readonly additions: ContextAdditions,
  ) {}

  /** Not for clients: the caller is a service, acting inside the tenant of the principal. */
  async authenticate(
    { tenantId, tenantName }: Principal,
    { token }: BodyOf<'authenticateDeploymentToken'>,
  ): Promise<Authenticated> {
    const deploymentId = deploymentNamedIn(token);
    if (deploymentId === undefined) return nobody();
    const read = await this.tokens.read(tenantId, deploymentId, token, ACTION);
    if (typeof read === 'string' || read.deploymentId !== deploymentId) return nobody();
    if (!isForChat(read)) return nobody('chat.token_scope');
    if (!(await this.switches.areAllowed(this.database, tenantId, deploymentId))) return nobody('chat.tokens_off');
    const externalId = externalIdOf(read);
    const holder = await this.database.transaction(tenantId, (tx) => this.holders.find(tx, read.userId));
    if (!holder || externalId === undefined) return nobody();
    const securityContext = await this.additions.complete(read.securityContext, { tenantId, userId: read.userId });
    const principal = { ...principalOf(read, holder), tenantId, tenantName };
    return {
      principal: { ...principal, asker: { externalId, environmentId: environmentOf(read), securityContext } },
      validForMs: read.validForMs,
    };
  }
}

/** Acts for whoever made the token, who may have given it to somebody else: it is good for asking and for nothing more. */
const principalOf = (
  { tokenId, userId, deploymentId }: LiveToken,
  { username, email }: TokenHolder,
): Omit<TokenPrincipal, 'tenantId' | 'tenantName'> => ({
  kind: 'deployment-token',
  credentialId: `data-token:${tokenId}`,
  userId,
  userName: username,
  email,
  isAdmin: false,
  deploymentIds: [deploymentId],
  grants: [
    { action: LICENCE, deploymentIds: null },
    { action: ACTION, deploymentIds: [deploymentId] },
  ],
});

const isForChat = ({ scopes }: LiveToken): boolean => scopes.includes(SCOPE) && !scopes.includes(METADATA_SCOPE);

const environmentOf = ({ environment }: LiveToken): number | null =>
  environment === 'production' ? null : environment;

/** Null where the token names nobody but its maker, undefined where it names nobody in a way that could be understood. */
function externalIdOf({ securityContext }: LiveToken): string | null | undefined {
  const { externalId = null } = securityContext;
  if (typeof externalId !== 'string') return externalId === null ? null : undefined;
  const lower = externalId.toLowerCase();
  return EXTERNAL_ID.test(lower) ? lower : undefined;
}
