import { Inject, Injectable } from '@nestjs/common';
import { BaseRepository, SecretBox, type Transaction } from '@plinth/database';
import { LessThan, MoreThan, type SelectQueryBuilder } from 'typeorm';
import { EnvironmentToken } from './environment-token.entity';

/** What the list of tokens belongs to. */
export interface TokenShelf {
  deploymentId: number;
  environmentId: number;
  owner: string;
}

/** What is sealed in a token's row. */
export interface TokenContent {
  token: string;
  securityContext: Record<string, unknown>;
  scopes: string[];
}

export interface NewEnvironmentToken extends TokenShelf, TokenContent {
  tenantId: number;
  credentialId: string;
  createdAt: Date;
  expiresAt: Date;
}

export interface StoredToken extends TokenContent {
  id: number;
  createdAt: Date;
  expiresAt: Date;
}

/** How many of the newest live tokens a caller can list. */
const LISTED_TOKENS = 1_000;

const contextOf = ({ deploymentId, environmentId, owner }: TokenShelf): string =>
  `deployment:${deploymentId}:environment:${environmentId}:token:${owner}`;

@Injectable()
export class EnvironmentTokensRepository extends BaseRepository {
  constructor(@Inject(SecretBox) private readonly secrets: SecretBox) {
    super();
  }

  async insert(tx: Transaction, { token, securityContext, scopes, ...row }: NewEnvironmentToken): Promise<void> {
    const content: TokenContent = { token, securityContext, scopes };
    const sealedContent = this.secrets.seal(JSON.stringify(content), contextOf(row));
    await this.managerFor(tx).insert(EnvironmentToken, { ...row, sealedContent });
  }

  /** Clears what no list shows any more. */
  async removeExpired(tx: Transaction, { deploymentId, environmentId, owner }: TokenShelf): Promise<void> {
    const expired = LessThan(new Date());
    await this.managerFor(tx).delete(EnvironmentToken, { deploymentId, environmentId, owner, expiresAt: expired });
  }

  /** No token of the deployment is listed from then on: the secrets that signed them have ended. */
  async endBy(tx: Transaction, deploymentId: number, end: Date): Promise<void> {
    const manager = this.managerFor(tx);
    await manager.update(EnvironmentToken, { deploymentId, expiresAt: MoreThan(end) }, { expiresAt: end });
  }

  /** Newest first, those before `beforeId` when it is given. */
  async listBefore(tx: Transaction, shelf: TokenShelf, limit: number, beforeId?: number): Promise<StoredToken[]> {
    const query = this.listed(tx, shelf).limit(limit);
    const rows = await (beforeId === undefined ? query : query.andWhere({ id: LessThan(beforeId) })).getMany();
    return this.opened(shelf, rows);
  }

  async listSlice(tx: Transaction, shelf: TokenShelf, offset: number, limit: number): Promise<StoredToken[]> {
    return this.opened(shelf, await this.listed(tx, shelf).offset(offset).limit(limit).getMany());
  }

  count(tx: Transaction, shelf: TokenShelf): Promise<number> {
    return this.listed(tx, shelf).getCount();
  }

  private listed(tx: Transaction, shelf: TokenShelf): SelectQueryBuilder<EnvironmentToken> {
    const manager = this.managerFor(tx);
    const newest = manager
      .createQueryBuilder(EnvironmentToken, 'newest')
      .select('newest.id')
      .where('newest.deploymentId = :deploymentId and newest.environmentId = :environmentId and newest.owner = :owner')
      .andWhere('newest.expiresAt > now()')
      .orderBy('newest.id', 'DESC')
      .limit(LISTED_TOKENS);
    return manager
      .createQueryBuilder(EnvironmentToken, 'token')
      .where(`token.id in (${newest.getQuery()})`, { ...shelf })
      .orderBy('token.id', 'DESC');
  }

  private opened(shelf: TokenShelf, rows: readonly EnvironmentToken[]): StoredToken[] {
    const context = contextOf(shelf);
    return rows.map(({ id, sealedContent, createdAt, expiresAt }) => ({
      id,
      createdAt,
      expiresAt,
      ...(JSON.parse(this.secrets.open(sealedContent, context)) as TokenContent),
    }));
  }
}
