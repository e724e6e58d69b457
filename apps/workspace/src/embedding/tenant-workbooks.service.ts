import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { PathOf, QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList } from '@plinth/database';
import { ContentRights, People } from '../content';
import { FeedItems } from '../workspace-feed/feed-items.service';
import { EmbedAudiences } from './embed-audiences.service';
import { EmbedSharesRepository } from './embed-shares.repository';

/** Tells administrators what an embed tenant sees. */
@Injectable()
export class TenantWorkbooks {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly audiences: EmbedAudiences,
    private readonly shares: EmbedSharesRepository,
    private readonly feedItems: FeedItems,
    private readonly people: People,
  ) {}

  /** @throws AppError `embedding.off` (403), `embed_tenant.not_found` and `deployment.not_found` (404) */
  async list(
    principal: Principal,
    path: PathOf<'listEmbedTenantWorkbooks'>,
    { accessSource: source, ...query }: QueryOf<'listEmbedTenantWorkbooks'>,
  ): Promise<ReplyOf<'listEmbedTenantWorkbooks'>> {
    const { deploymentId } = path;
    const embedTenantName = path.embedTenantName.toLowerCase();
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    await this.audiences.find(principal.tenantId, embedTenantName);
    const { items, pageInfo } = await keysetList(query, {
      name: 'embed-tenant-workbooks',
      filters: { deploymentId, embedTenantName, source },
      positionOf: byId,
      read: (limit, [afterId]) =>
        this.database.transaction(principal.tenantId, (tx) =>
          this.shares.workbooks(tx, { deploymentId, embedTenantName, source }, limit, afterId),
        ),
    });
    const described = await this.database.transaction(principal.tenantId, (tx) =>
      this.feedItems.describe(tx, viewer, items),
    );
    return { items: await this.people.name(viewer, described), pageInfo };
  }
}
