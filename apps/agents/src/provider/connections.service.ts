import { Inject, Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { Database, SecretBox } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import type { AiProvider } from './ai-provider.entity';
import { AiProviderRepository } from './ai-provider.repository';
import type { Connection } from './connection';
import type { ProviderConfig } from './provider.config';
import { UsageRepository } from './usage.repository';

/** Whom a key is for. */
type KeyHolder = Pick<AiProvider, 'tenantId' | 'kind' | 'baseUrl'>;

/** Knows by which provider an account's agents think. */
@Injectable()
export class Connections {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(SecretBox) private readonly secrets: SecretBox,
    @Inject(CONFIG) private readonly config: ProviderConfig,
    private readonly providers: AiProviderRepository,
    private readonly usage: UsageRepository,
  ) {}

  /** The account's provider, or the operator's; undefined where there is neither. */
  async find(tenantId: number): Promise<Connection | undefined> {
    const own = await this.database.transaction(tenantId, (tx) => this.providers.find(tx, tenantId));
    return own ? this.opened(own) : this.ofOperator();
  }

  /** @throws AppError `ai_provider.missing` (409) */
  async require(tenantId: number): Promise<Connection> {
    const connection = await this.find(tenantId);
    if (connection) return connection;
    throw new AppError(
      'ai_provider.missing',
      'There is no language model: an administrator sets one with PUT /api/v1/tenant/ai-provider',
    );
  }

  /** @throws AppError `ai_budget.spent` (429) */
  async requireBudget(tx: Transaction, tenantId: number, identity: string, connection: Connection): Promise<void> {
    const { monthlyTokens, monthlyTokensPerUser } = connection;
    if (monthlyTokens === null && monthlyTokensPerUser === null) return;
    const { account, own } = await this.usage.spent(tx, tenantId, identity);
    const isSpent = account >= (monthlyTokens ?? Infinity) || own >= (monthlyTokensPerUser ?? Infinity);
    if (isSpent) throw new AppError('ai_budget.spent', 'The tokens of this month are spent');
  }

  seal(key: string, holder: KeyHolder): string {
    return this.secrets.seal(key, contextOf(holder));
  }

  opened({ sealedKey, tenantId, kind, baseUrl, model, monthlyTokens, monthlyTokensPerUser }: AiProvider): Connection {
    const key = sealedKey === null ? null : this.secrets.open(sealedKey, contextOf({ tenantId, kind, baseUrl }));
    return { source: 'account', kind, baseUrl, model, key, monthlyTokens, monthlyTokensPerUser };
  }

  private ofOperator(): Connection | undefined {
    const { aiProvider: kind, aiBaseUrl: baseUrl, aiModel: model, aiKey, aiMonthlyTokens } = this.config;
    if (baseUrl === undefined) return undefined;
    const budget = { monthlyTokens: aiMonthlyTokens ?? null, monthlyTokensPerUser: null };
    return { source: 'operator', kind, baseUrl, model, key: aiKey ?? null, ...budget };
  }
}

/** A key opens only for the server that it was given for. */
const contextOf = ({ tenantId, kind, baseUrl }: KeyHolder): string => `tenant:${tenantId}:ai-key:${kind}:${baseUrl}`;
