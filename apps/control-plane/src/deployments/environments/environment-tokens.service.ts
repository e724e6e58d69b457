import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { byId, Database } from '@plinth/database';
import { DataTokens } from '../data-tokens/data-tokens.service';
import { twoStylePage } from '../../kernel';
import {
  EnvironmentTokensRepository,
  type StoredToken,
  type TokenShelf,
} from '../data-tokens/environment-tokens.repository';
import { EnvironmentsService } from './environments.service';
import { environmentGrant, metaSyncGrant, type EnvironmentGrant, type TokenRequest } from './token-grants';

const DEFAULT_LIFETIME_SECONDS = 86_400;

type Place = Pick<TokenShelf, 'deploymentId' | 'environmentId'>;
type Body = BodyOf<'createDeploymentEnvironmentToken'>;
type Reply = ReplyOf<'createDeploymentEnvironmentToken'>;

/** Tokens for the data APIs of environments. */
@Injectable()
export class EnvironmentTokensService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly environments: EnvironmentsService,
    private readonly tokens: EnvironmentTokensRepository,
    private readonly dataTokens: DataTokens,
  ) {}

  /** The caller's own live tokens. */
  async list(
    principal: Principal,
    place: Place,
    query: QueryOf<'getDeploymentEnvironmentTokens'>,
  ): Promise<ReplyOf<'getDeploymentEnvironmentTokens'>> {
    await this.environments.requireEnvironment(principal, place.deploymentId, place.environmentId);
    const shelf = shelfOf(principal, place);
    const page = await this.database.transaction(principal.tenantId, (tx) =>
      twoStylePage(query, {
        name: 'environment-tokens',
        filters: shelf,
        positionOf: byId,
        read: (limit, [beforeId]) => this.tokens.listBefore(tx, shelf, limit, beforeId),
        readSlice: (offset, limit) => this.tokens.listSlice(tx, shelf, offset, limit),
        count: () => this.tokens.count(tx, shelf),
      }),
    );
    const items = page.items.map(toContractToken);
    return { items, data: items, pageInfo: page.pageInfo, pagination: page.pagination };
  }

  async create(principal: Principal, place: Place, body: Body): Promise<Reply> {
    return this.issue(principal, place, body, environmentGrant(principal, place.deploymentId, requestOf(body)));
  }

  async createForMetaSync(principal: Principal, place: Place, body: Body): Promise<Reply> {
    return this.issue(principal, place, body, metaSyncGrant(principal, place.deploymentId, requestOf(body)));
  }

  /**
   * The environment is looked up before the transaction: the service that is asked may ask this one in turn, which
   * must not wait for the connections that are waiting for it.
   */
  private async issue(principal: Principal, place: Place, body: Body, grant: EnvironmentGrant): Promise<Reply> {
    const { tenantId, credentialId } = principal;
    const { deploymentId, environmentId } = place;
    await this.environments.requireEnvironment(principal, deploymentId, environmentId);
    const shelf = shelfOf(principal, place);
    const lifetimeSeconds = body.expires_in ?? DEFAULT_LIFETIME_SECONDS;
    return this.database.mutate(principal, async (tx) => {
      const order = { ...grant, deploymentId, environment: environmentId, lifetimeSeconds };
      const issued = await this.dataTokens.issue(tx, principal, order);
      await this.tokens.removeExpired(tx, shelf);
      await this.tokens.insert(tx, { ...shelf, ...issued, tenantId, credentialId });
      return { data: toContractToken(issued) };
    });
  }
}

const shelfOf = ({ userId, credentialId }: Principal, { deploymentId, environmentId }: Place): TokenShelf => ({
  deploymentId,
  environmentId,
  owner: userId === null ? credentialId : `user:${userId}`,
});

const requestOf = ({ security_context: securityContext, scopes }: Body): TokenRequest => ({
  securityContext,
  scopes: scopes ?? [],
});

const toContractToken = (token: Omit<StoredToken, 'id'>): Schemas['EnvironmentToken'] => ({
  token: token.token,
  security_context: token.securityContext,
  scopes: token.scopes,
  created_at: token.createdAt.toISOString(),
  expires_at: token.expiresAt.toISOString(),
});
