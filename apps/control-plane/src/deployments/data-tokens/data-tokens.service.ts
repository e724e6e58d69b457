import { Inject, Injectable } from '@nestjs/common';
import { hasAccess, systemPrincipal, type Action, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { EffectivePolicies } from '../../rights';
import { deploymentNotFound } from '../secrets/deployment-errors';
import { DeploymentSecretsRepository } from '../secrets/deployment-secrets.repository';
import { callerIsNobody } from '../../people';
import { ContextAdditions } from './context-additions';
import {
  readDataToken,
  refusalOf,
  signDataToken,
  type DataToken,
  type DataTokenFacts,
  type DataTokenRefusal,
  type TokenGrant,
} from './data-token';
import { ownContext } from './own-context';
import { TokenHoldersRepository } from './token-holders.repository';
import { withoutReservedClaims, type SignedToken } from './token-signer';

type Verdict = ReplyOf<'verifyDataToken'>;

/** What a token is to open, and for how long. */
export interface TokenOrder extends Pick<DataTokenFacts, 'deploymentId' | 'environment' | 'purpose'> {
  /** Null for the caller's own. */
  securityContext: Readonly<Record<string, unknown>> | null;
  scopes: readonly string[];
  lifetimeSeconds: number;
}

/** A token that works for so long at least, unless a notice says otherwise. */
export interface LiveToken extends DataToken {
  validForMs: number;
}

/** Tokens for the data APIs of deployments: the one place that signs them and the one that tells what they open. */
@Injectable()
export class DataTokens {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly secrets: DeploymentSecretsRepository,
    private readonly holders: TokenHoldersRepository,
    private readonly policies: EffectivePolicies,
    private readonly additions: ContextAdditions,
  ) {}

  /**
   * A token in the caller's name. Whether they may have it is the caller's to check.
   *
   * @throws AppError `deployment.not_found` (404), `auth.credential_invalid` (401) for a credential without a user.
   */
  async issue(
    tx: Transaction,
    { userId }: Principal,
    { securityContext, scopes, lifetimeSeconds, ...place }: TokenOrder,
  ): Promise<TokenGrant & SignedToken> {
    const secret = await this.secrets.find(tx, place.deploymentId);
    if (secret === undefined) throw deploymentNotFound();
    const holder = userId === null ? undefined : await this.holders.find(tx, userId);
    if (userId === null || holder === undefined) throw callerIsNobody();
    const context = securityContext ?? ownContext(userId, holder, await this.rolesOf(tx, userId));
    const grant = { securityContext: withoutReservedClaims(context), scopes: [...scopes] };
    const facts = { ...place, userId, generation: holder.generation };
    return { ...grant, ...(await signDataToken(secret, facts, grant, lifetimeSeconds)) };
  }

  /** Not for clients: the caller is a service, acting inside the tenant of the principal. */
  async verify({ tenantId }: Principal, { token, ...request }: BodyOf<'verifyDataToken'>): Promise<Verdict> {
    const read = await this.read(tenantId, request.deploymentId, token, 'DeploymentRead');
    if (typeof read === 'string') return { access: null, refusal: read };
    const refusal = refusalOf(read, request);
    if (refusal) return { access: null, refusal };
    const { tokenId, userId, purpose, scopes, validForMs } = read;
    const securityContext = await this.additions.complete(read.securityContext, { tenantId, userId });
    return { access: { tokenId, userId, purpose, scopes, securityContext, validForMs } };
  }

  /** What a token says, if it works at present and the user behind it may do what is asked for. */
  async read(
    tenantId: number,
    deploymentId: number,
    token: string,
    action: Action,
  ): Promise<LiveToken | DataTokenRefusal> {
    const secrets = await this.secrets.findLive(this.database, tenantId, deploymentId);
    const read = await readDataToken(token, secrets);
    if (typeof read === 'string') return read;
    if (!(await this.isBacked(tenantId, read, action))) return 'revoked';
    const secret = secrets.find(({ version }) => version === read.secretVersion);
    const validForMs = Math.max(0, Math.min(read.expiresAt.getTime() - Date.now(), secret?.validForMs ?? Infinity));
    return { ...read, validForMs };
  }

  /** Whether the user behind the token is there, has not ended it, and still may do that at the deployment. */
  private async isBacked(tenantId: number, token: DataTokenFacts, action: Action): Promise<boolean> {
    const { userId, generation, deploymentId } = token;
    const standing = await this.holders.findStanding(this.database, tenantId, userId);
    if (standing?.generation !== generation) return false;
    if (standing.isAdmin) return true;
    const grants = await this.policies.grants(tenantId, userId);
    return hasAccess({ ...systemPrincipal(tenantId), isAdmin: false, grants }, action, deploymentId);
  }

  private async rolesOf(tx: Transaction, userId: number): Promise<string[]> {
    const roles = await this.policies.roles(tx, [userId]);
    return (roles.get(userId) ?? []).map(({ name }) => name);
  }
}
