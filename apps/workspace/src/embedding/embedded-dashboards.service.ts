import { Inject, Injectable } from '@nestjs/common';
import { hasAccess, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { ContentRights, ItemsRepository } from '../content';
import { EmbeddedDashboardsRepository, type EmbeddedPlace } from './embedded-dashboards.repository';

/** Decides who sees which dashboard in a host application. */
@Injectable()
export class EmbeddedDashboards {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly items: ItemsRepository,
    private readonly dashboards: EmbeddedDashboardsRepository,
  ) {}

  async describe(
    principal: Principal,
    { publicId }: BodyOf<'describeEmbeddedDashboard'>,
  ): Promise<ReplyOf<'describeEmbeddedDashboard'>> {
    const { allowEmbed: _allowEmbed, ...place } = await this.require(principal, publicId);
    return place;
  }

  /** @throws AppError `dashboard.not_found` (404) also for one that the caller may not see. */
  async require(principal: Principal, publicId: string): Promise<EmbeddedPlace> {
    const place = await this.database.transaction(principal.tenantId, (tx) => this.dashboards.find(tx, publicId));
    if (!place || !hasAccess(principal, 'DeploymentRead', place.deploymentId)) throw notFound();
    const viewer = await this.rights.viewerOf(principal, place.deploymentId);
    const workbook = await this.database.transaction(principal.tenantId, (tx) =>
      this.items.findFor(tx, viewer, 'WORKBOOK', place.workbookId, false),
    );
    if (!workbook?.visible) throw notFound();
    return place;
  }
}

const notFound = (): AppError => new AppError('dashboard.not_found', 'There is no such dashboard');
