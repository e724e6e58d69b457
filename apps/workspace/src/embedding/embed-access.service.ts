import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, PathOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { ContentNotices, ContentRights, isEmbedUser, type ItemRef, type Viewer } from '../content';
import { DashboardsRepository } from '../dashboards/dashboards.repository';
import { EmbedAudiences } from './embed-audiences.service';
import { EmbedSharesRepository } from './embed-shares.repository';
import { targetIn, type EmbedTarget } from './embed-target';

type Access = Schemas['FolderEmbedAccess'];
type Audience = Schemas['EmbedAudience'];

/** Shares content with embed users, for reading. Embed users share what is theirs, with their own embed tenant alone. */
@Injectable()
export class EmbedAccessService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly dashboards: DashboardsRepository,
    private readonly audiences: EmbedAudiences,
    private readonly shares: EmbedSharesRepository,
    private readonly notices: ContentNotices,
  ) {}

  ofWorkbook(
    principal: Principal,
    { deploymentId, workbookId: id }: PathOf<'getEmbedAccess'>,
  ): Promise<ReplyOf<'getEmbedAccess'>> {
    return this.read(principal, deploymentId, { type: 'WORKBOOK', id }, (tx, access) =>
      this.ofDashboard(tx, id, access),
    );
  }

  ofFolder(
    principal: Principal,
    { deploymentId, folderId: id }: PathOf<'getFolderEmbedAccess'>,
  ): Promise<ReplyOf<'getFolderEmbedAccess'>> {
    return this.read(principal, deploymentId, { type: 'FOLDER', id }, async (_tx, access) => access);
  }

  /** @throws AppError `dashboard.not_published` (400) for `allowEmbed`, and as {@link EmbedAccessService.change} does */
  async changeWorkbook(
    principal: Principal,
    { deploymentId, workbookId: id }: PathOf<'updateEmbedAccess'>,
    { allowEmbed, ...input }: NonNullable<BodyOf<'updateEmbedAccess'>> = {},
  ): Promise<ReplyOf<'updateEmbedAccess'>> {
    const target = targetIn(input);
    if (!target && allowEmbed == null) throw invalidRequest('/body', 'says nothing to change');
    return this.change(principal, deploymentId, { type: 'WORKBOOK', id }, target, async (tx, access) => {
      if (allowEmbed != null) await this.allowEmbed(tx, id, allowEmbed);
      return this.ofDashboard(tx, id, access);
    });
  }

  async changeFolder(
    principal: Principal,
    { deploymentId, folderId: id }: PathOf<'updateFolderEmbedAccess'>,
    body: BodyOf<'updateFolderEmbedAccess'>,
  ): Promise<ReplyOf<'updateFolderEmbedAccess'>> {
    return this.change(principal, deploymentId, { type: 'FOLDER', id }, targetIn(body), async (_tx, access) => access);
  }

  private async read<Reply>(
    principal: Principal,
    deploymentId: number,
    ref: ItemRef,
    reply: (tx: Transaction, access: Access) => Promise<Reply>,
  ): Promise<Reply> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const everyone = await this.audiences.find(principal.tenantId, null);
    return this.database.transaction(principal.tenantId, async (tx) => {
      await this.rights.require(tx, viewer, ref, 'read');
      return reply(tx, await this.accessTo(tx, viewer, ref.id, everyone));
    });
  }

  /**
   * @throws AppError `embedding.off` (403), `embed_tenant.not_found` (404), `access.denied` (403) for an embed user who names
   *   others than their own embed tenant, and as `ContentRights.require` does for the right to manage it
   */
  private async change<Reply>(
    principal: Principal,
    deploymentId: number,
    ref: ItemRef,
    target: EmbedTarget | undefined,
    reply: (tx: Transaction, access: Access) => Promise<Reply>,
  ): Promise<Reply> {
    const { tenantId } = principal;
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    if (target) requireOwnTenant(principal, target);
    const everyone = await this.audiences.find(tenantId, null);
    const named = target?.embedTenantName != null && (await this.audiences.find(tenantId, target.embedTenantName));
    return this.database.mutate(principal, async (tx) => {
      const item = await this.rights.require(tx, viewer, ref, 'manage', true);
      const audience = named || everyone;
      this.notices.announce(tx);
      if (target?.action === 'read') await this.shares.grant(tx, item, audience, viewer.userId);
      if (target?.action === 'none') await this.shares.revoke(tx, item.id, audience);
      return reply(tx, await this.accessTo(tx, viewer, item.id, everyone));
    });
  }

  /** Embed users are told of no other embed tenant than their own. */
  private async accessTo(tx: Transaction, { embed }: Viewer, id: number, everyone: Audience): Promise<Access> {
    const shares = await this.shares.list(tx, id);
    const isEveryone = shares.some(({ embedTenantId }) => embedTenantId === null);
    return {
      allEmbedUsers: { enabled: isEveryone, action: isEveryone ? 'read' : 'none', groupId: everyone.groupId },
      tenants: shares.flatMap(({ embedTenantName, groupId }) =>
        embedTenantName === null || groupId === null || (embed && embed.tenantName !== embedTenantName)
          ? []
          : [{ embedTenantName, groupId, action: 'read' as const }],
      ),
    };
  }

  private async ofDashboard(tx: Transaction, workbookId: number, access: Access): Promise<ReplyOf<'getEmbedAccess'>> {
    const dashboard = await this.dashboards.find(tx, workbookId);
    return { allowEmbed: dashboard?.allowEmbed ?? false, ...access };
  }

  private async allowEmbed(tx: Transaction, workbookId: number, allowEmbed: boolean): Promise<void> {
    const dashboard = await this.dashboards.find(tx, workbookId);
    if (!dashboard) throw new AppError('dashboard.not_published', 'The workbook has no published dashboard');
    await this.dashboards.setAllowEmbed(tx, dashboard.id, allowEmbed);
  }
}

function requireOwnTenant(principal: Principal, { embedTenantName }: EmbedTarget): void {
  if (!isEmbedUser(principal)) return;
  if (embedTenantName !== null && embedTenantName === principal.embed.embedTenantName) return;
  throw new AppError('access.denied', 'Embed users share with their own embed tenant alone');
}
