import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { PathOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, keysetList, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { ContentRights, ItemsRepository, People, userRef, type Level, type RankedItem, type Viewer } from '../content';
import { DashboardsRepository, type DashboardRow, type VersionRow } from './dashboards.repository';
import { Publisher } from './publisher.service';

/** What was published earlier. Nothing of it changes any more. */
@Injectable()
export class DashboardVersionsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly items: ItemsRepository,
    private readonly people: People,
    private readonly dashboards: DashboardsRepository,
    private readonly publisher: Publisher,
  ) {}

  async list(
    principal: Principal,
    { deploymentId, workbookId }: PathOf<'listDashboardVersions'>,
    query: QueryOf<'listDashboardVersions'>,
  ): Promise<ReplyOf<'listDashboardVersions'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const { items, pageInfo } = await keysetList(query, {
      name: 'dashboard-versions',
      filters: { workbookId },
      positionOf: ({ versionNumber }: VersionRow) => [versionNumber],
      read: (limit, [before]) =>
        this.database.transaction(principal.tenantId, async (tx) => {
          await this.workbook(tx, viewer, workbookId, 'read');
          return this.dashboards.listVersions(tx, workbookId, limit, before);
        }),
    });
    const unnamed = items.map(({ publishedBy, publishedAt, ...version }) => ({
      ...version,
      publishedAt: publishedAt.toISOString(),
      user: userRef(publishedBy),
    }));
    return { items: await this.people.name(viewer, unnamed), pageInfo };
  }

  async get(
    principal: Principal,
    { deploymentId, workbookId, versionId }: PathOf<'getDashboardVersion'>,
  ): Promise<ReplyOf<'getDashboardVersion'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.database.transaction(principal.tenantId, async (tx) => {
      await this.workbook(tx, viewer, workbookId, 'read');
      return this.publisher.show(tx, viewer, await this.existing(tx, workbookId, versionId));
    });
  }

  /** Its reports come back as they were frozen: they may have changed since, or be gone. */
  async restore(
    principal: Principal,
    { deploymentId, workbookId, versionId }: PathOf<'restoreDashboardVersion'>,
  ): Promise<ReplyOf<'restoreDashboardVersion'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      const workbook = await this.workbook(tx, viewer, workbookId, 'edit');
      const { title, description, config } = await this.existing(tx, workbookId, versionId);
      const frozen = await this.dashboards.snapshots(tx, versionId);
      const reports = frozen.map(({ id: _id, ...report }) => report);
      await this.items.update(tx, workbookId, { updatedBy: viewer.userId });
      return this.publisher.publish(tx, workbook, { title, description, config, reports }, viewer);
    });
  }

  private workbook(tx: Transaction, viewer: Viewer, id: number, level: Level): Promise<RankedItem> {
    return this.rights.require(tx, viewer, { type: 'WORKBOOK', id }, level, level !== 'read');
  }

  private async existing(tx: Transaction, workbookId: number, versionId: number): Promise<DashboardRow> {
    const version = await this.dashboards.findVersion(tx, workbookId, versionId);
    if (!version) throw new AppError('dashboard.version_not_found', 'The dashboard has no such version');
    return version;
  }
}
