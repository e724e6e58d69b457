import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, keysetList } from '@plinth/database';
import { EgressError, requireAllowed } from '@plinth/egress';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import { generateText } from 'ai';
import type { AiProvider } from './ai-provider.entity';
import { AiProviderRepository } from './ai-provider.repository';
import { toContract, type Connection } from './connection';
import { Connections } from './connections.service';
import { Models } from './models.service';
import { addressPolicyOf, type ProviderConfig } from './provider.config';
import { problemOf } from './provider-failure';
import { UsageRepository, type Tokens, type UsageRow } from './usage.repository';

const TRIAL_MS = 30_000;

/** What administrators do with the provider of their account. */
@Injectable()
export class AiProviderService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) private readonly config: ProviderConfig,
    private readonly providers: AiProviderRepository,
    private readonly usage: UsageRepository,
    private readonly connections: Connections,
    private readonly models: Models,
  ) {}

  /** @throws AppError `ai_provider.not_set` (404) */
  async get({ tenantId }: Principal): Promise<ReplyOf<'getAiProvider'>> {
    const connection = await this.connections.find(tenantId);
    if (!connection) throw new AppError('ai_provider.not_set', 'No provider of a language model is set');
    return toContract(connection);
  }

  /** @throws AppError `ai_provider.address_refused` (400) */
  async set(principal: Principal, input: BodyOf<'setAiProvider'>): Promise<ReplyOf<'setAiProvider'>> {
    this.requireAddress(input.baseUrl);
    const { tenantId } = principal;
    return this.database.mutate(principal, async (tx) => {
      const before = await this.providers.find(tx, tenantId);
      const { kind, baseUrl, model, monthlyTokens = null, monthlyTokensPerUser = null } = input;
      const sealedKey = this.sealedKey({ tenantId, kind, baseUrl }, input.key, before);
      const provider = { tenantId, kind, baseUrl, model, sealedKey, monthlyTokens, monthlyTokensPerUser };
      return toContract(this.connections.opened(await this.providers.save(tx, provider)));
    });
  }

  async delete(principal: Principal): Promise<ReplyOf<'deleteAiProvider'>> {
    await this.database.mutate(principal, async (tx) => {
      await this.providers.delete(tx, principal.tenantId);
      return null;
    });
    return undefined;
  }

  /** @throws AppError `ai_provider.missing` (409) */
  async test(principal: Principal): Promise<ReplyOf<'testAiProvider'>> {
    const { tenantId } = principal;
    const connection = await this.connections.require(tenantId);
    return this.database.mutateInSteps(principal, async (step) => {
      const { outcome, tokens } = await this.tryOut(connection);
      await step((tx) => this.usage.add(tx, tenantId, `user:${principal.userId ?? 0}`, tokens));
      return outcome;
    });
  }

  async listUsage({ tenantId }: Principal, query: QueryOf<'listAiUsage'>): Promise<ReplyOf<'listAiUsage'>> {
    const filters = { month: query.month };
    return keysetList(query, {
      name: 'ai-usage',
      filters,
      positionOf: ({ month, identity }: UsageRow): [month: string, identity: string] => [month, identity],
      read: (limit, [month, identity]) => {
        const after = month !== undefined && identity !== undefined ? { month, identity } : undefined;
        return this.database.transaction(tenantId, (tx) => this.usage.list(tx, tenantId, filters.month, limit, after));
      },
    });
  }

  private async tryOut(connection: Connection): Promise<{ outcome: ReplyOf<'testAiProvider'>; tokens: Tokens }> {
    const started = performance.now();
    const { model } = connection;
    const ended = (ok: boolean, message: string) => ({
      ok,
      message,
      model,
      latencyMs: Math.round(performance.now() - started),
    });
    try {
      const { usage } = await generateText({
        model: this.models.of(connection),
        prompt: 'Answer with the single word ok.',
        maxOutputTokens: 16,
        maxRetries: 0,
        abortSignal: AbortSignal.timeout(TRIAL_MS),
      });
      return { outcome: ended(true, 'The model has answered.'), tokens: tokensOf(usage) };
    } catch (error) {
      return { outcome: ended(false, problemOf(error).sentence), tokens: tokensOf({}) };
    }
  }

  private requireAddress(baseUrl: string): void {
    try {
      requireAllowed(new URL(baseUrl), addressPolicyOf(this.config));
    } catch (error) {
      if (!(error instanceof EgressError) && !(error instanceof TypeError)) throw error;
      throw new AppError('ai_provider.address_refused', 'The provider must not be called at this address');
    }
  }

  /** A key that is kept goes to no other server than the one that it was given for. */
  private sealedKey(
    holder: Pick<AiProvider, 'tenantId' | 'kind' | 'baseUrl'>,
    key: string | null | undefined,
    before: AiProvider | null,
  ): string | null {
    if (key !== undefined) return key === null ? null : this.connections.seal(key, holder);
    const isSame = before?.kind === holder.kind && before.baseUrl === holder.baseUrl;
    return isSame ? before.sealedKey : null;
  }
}

/** What the provider says that it took; providers that say nothing count as nothing. */
export const tokensOf = ({
  inputTokens = 0,
  outputTokens = 0,
}: {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
}): Tokens => ({ inputTokens, outputTokens });
