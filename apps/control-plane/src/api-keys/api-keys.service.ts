import { Inject, Injectable } from '@nestjs/common';
import { requireAccess, requireUnscoped, type Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, decodeCursor, encodeCursor, resolveCursorPaging, toPage } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { toContractApiKey } from './api-key.entity';
import { hashOf, newSecret, prefixOf } from './api-key-secret';
import { ApiKeysRepository } from './api-keys.repository';

const list = 'api-keys';

@Injectable()
export class ApiKeysService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly apiKeys: ApiKeysRepository,
    @Inject(BUS) private readonly bus: Bus,
  ) {}

  async list(principal: Principal, query: QueryOf<'listApiKeys'>): Promise<ReplyOf<'listApiKeys'>> {
    requireAccess(principal, 'admin');
    const { first, after } = resolveCursorPaging(query);
    const [beforeId] = after === undefined ? [] : decodeCursor(list, {}, after);
    const rows = await this.database.transaction(principal.tenantId, (tx) =>
      this.apiKeys.list(tx, first + 1, beforeId as number | undefined),
    );
    const page = toPage(rows, first, { cursorOf: ({ id }) => encodeCursor(list, {}, [id]), after });
    return { ...page, items: page.items.map((key) => toContractApiKey(key, key.user.email)) };
  }

  /** The only reply that ever holds the secret. */
  async create(principal: Principal, body: BodyOf<'createApiKey'>): Promise<ReplyOf<'createApiKey'>> {
    requireAccess(principal, 'admin');
    requireUnscoped(principal);
    const { userId } = principal;
    if (userId === null) throw new AppError('access.denied', 'Only a user can own an API key');
    return this.database.mutate(principal, async (tx) => {
      const secret = newSecret();
      const key = await this.apiKeys.insert(tx, {
        tenantId: principal.tenantId,
        userId,
        name: body?.name ?? null,
        prefix: prefixOf(secret),
        tokenHash: hashOf(secret),
        deploymentIds: body?.deploymentIds ? [...new Set(body.deploymentIds)] : null,
      });
      return { ...toContractApiKey(key, principal.email), token: secret };
    });
  }

  async get(principal: Principal, id: number): Promise<ReplyOf<'getApiKey'>> {
    requireAccess(principal, 'admin');
    const key = await this.database.transaction(principal.tenantId, (tx) => this.apiKeys.findById(tx, id));
    if (!key) throw notFound();
    return toContractApiKey(key, key.user.email);
  }

  /** Revokes the key; every gateway is told at once. */
  async delete(principal: Principal, id: number): Promise<ReplyOf<'deleteApiKey'>> {
    requireAccess(principal, 'admin');
    const reply = await this.database.mutate(principal, async (tx) => {
      if (!(await this.apiKeys.delete(tx, id))) throw notFound();
      return { success: true };
    });
    this.bus.publish({ topic: 'control-plane.credential.changed', payload: { tenantId: principal.tenantId } });
    return reply;
  }
}

const notFound = (): AppError => new AppError('api_key.not_found', 'There is no such API key');
