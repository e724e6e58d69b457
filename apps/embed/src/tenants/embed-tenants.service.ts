import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, keysetList } from '@plinth/database';
import { SessionNotices } from '../session-notices';
import { EmbedTenantsRepository, type CountedTenant } from './embed-tenants.repository';

@Injectable()
export class EmbedTenantsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tenants: EmbedTenantsRepository,
    private readonly notices: SessionNotices,
  ) {}

  async list({ tenantId }: Principal, query: QueryOf<'listEmbedTenants'>): Promise<ReplyOf<'listEmbedTenants'>> {
    const { search } = query;
    const { items, pageInfo } = await keysetList(query, {
      name: 'embed-tenants',
      filters: { search },
      positionOf: ({ name }: CountedTenant): [name: string] => [name],
      read: (limit, [afterName]) =>
        this.database.transaction(tenantId, (tx) => this.tenants.list(tx, search, limit, afterName)),
    });
    return { items: items.map(toContract), pageInfo };
  }

  /** What is gone already is as it shall be. */
  async delete(principal: Principal, name: string): Promise<ReplyOf<'deleteEmbedTenant'>> {
    await this.database.mutate(principal, async (tx) => {
      const embedTenantId = await this.tenants.delete(tx, name);
      if (embedTenantId !== undefined) {
        tx.emit('embed_tenant.deleted', { embedTenantId, embedTenantName: name });
        this.notices.announce(tx, principal.tenantId);
      }
      return null;
    });
    return undefined;
  }
}

const toContract = ({ id, name, displayName, createdAt, userCount }: CountedTenant): Schemas['EmbedTenant'] => ({
  id,
  name,
  displayName,
  createdAt: createdAt.toISOString(),
  userCount,
});
