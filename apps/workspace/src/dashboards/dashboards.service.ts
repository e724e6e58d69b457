import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, PathOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { ContentRights, ItemsRepository, type RankedItem, rankOf, type Viewer } from '../content';
import { storedConfig, withWidgets, type DashboardConfig } from './dashboard-config';
import { DashboardsRepository } from './dashboards.repository';
import { DraftsRepository } from './drafts.repository';
import { Publisher } from './publisher.service';

type PublishBody = BodyOf<'publishDashboard'>;

@Injectable()
export class DashboardsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly items: ItemsRepository,
    private readonly drafts: DraftsRepository,
    private readonly dashboards: DashboardsRepository,
    private readonly publisher: Publisher,
  ) {}

  async saveDraft(
    principal: Principal,
    { deploymentId, workbookId }: PathOf<'updateWorkbookDashboard'>,
    { dashboardDraft }: NonNullable<BodyOf<'updateWorkbookDashboard'>> = {},
  ): Promise<ReplyOf<'updateWorkbookDashboard'>> {
    const draft = dashboardDraft && storedConfig(dashboardDraft, '/body/dashboardDraft');
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      await this.editable(tx, viewer, workbookId);
      if (draft !== undefined) {
        await this.drafts.save(tx, workbookId, draft);
        await this.items.update(tx, workbookId, { updatedBy: viewer.userId });
      }
      return {
        dashboardDraft: await this.drafts.find(tx, workbookId),
        dashboardPublished: (await this.dashboards.find(tx, workbookId))?.config ?? null,
      };
    });
  }

  async publish(
    principal: Principal,
    { deploymentId, workbookId }: PathOf<'publishDashboard'>,
    body: PublishBody,
  ): Promise<ReplyOf<'publishDashboard'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    if (body.workbookId !== workbookId) throw invalidRequest('/body/workbookId', 'must be the workbook of the path');
    const sent = body.config ? storedConfig(body.config, '/body/config') : undefined;
    return this.database.mutate(principal, async (tx) => {
      const workbook = await this.editable(tx, viewer, workbookId);
      const allowEmbed = await this.allowEmbedAfter(tx, workbook, body);
      const config = sent ?? (await this.drafts.find(tx, workbookId));
      if (!config) throw new AppError('dashboard.nothing_to_publish', 'There is no configuration and no saved draft');
      const reports = await this.publisher.freeze(tx, viewer, config, sent ? '/body/config' : '/dashboardDraft');
      await this.items.update(tx, workbookId, { updatedBy: viewer.userId });
      const version = { ...headingOf(body, config), config, reports, allowEmbed };
      return this.publisher.publish(tx, workbook, version, viewer);
    });
  }

  /** Only the thread and what it is about: neither is worth a version. */
  async setThread(
    principal: Principal,
    { deploymentId, workbookId }: PathOf<'updatePublishedDashboardAiWidgetThread'>,
    body: BodyOf<'updatePublishedDashboardAiWidgetThread'>,
  ): Promise<ReplyOf<'updatePublishedDashboardAiWidgetThread'>> {
    const { widgetId, threadId, checksum = null } = body;
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      await this.editable(tx, viewer, workbookId);
      const dashboard = await this.dashboards.find(tx, workbookId);
      if (!dashboard) throw new AppError('dashboard.not_published', 'The workbook has no published dashboard');
      const config = withThread(dashboard.config, widgetId, { threadId, checksum });
      await this.dashboards.setConfig(tx, dashboard.versionId, config);
      return this.publisher.show(tx, viewer, { ...dashboard, config });
    });
  }

  /** Who may see a dashboard outside is for those who manage the workbook. */
  private async allowEmbedAfter(tx: Transaction, workbook: RankedItem, body: PublishBody): Promise<boolean> {
    const current = await this.dashboards.find(tx, workbook.id);
    if (body.dashboardId != null && body.dashboardId !== current?.id)
      throw invalidRequest('/body/dashboardId', 'must be the dashboard of the workbook');
    const before = current?.allowEmbed ?? false;
    const after = body.allowEmbed ?? before;
    if (after !== before && workbook.rank < rankOf('manage'))
      throw new AppError('access.denied', 'Whether it may be embedded needs the right to manage it');
    return after;
  }

  private editable(tx: Transaction, viewer: Viewer, id: number): Promise<RankedItem> {
    return this.rights.require(tx, viewer, { type: 'WORKBOOK', id }, 'edit', true);
  }
}

const headingOf = (body: PublishBody, { title, description }: DashboardConfig) => ({
  title: body.title ?? title ?? null,
  description: body.description ?? description ?? null,
});

function withThread(config: DashboardConfig, widgetId: string, thread: object): DashboardConfig {
  if (!config.widgets?.some(({ id, type }) => id === widgetId && type === 'AI'))
    throw new AppError('dashboard.widget_not_found', 'The published dashboard has no such AI widget');
  return withWidgets(config, (widget) =>
    widget.id === widgetId ? { ...widget, config: { ...widget.config, ...thread } } : widget,
  );
}
