import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { DashboardsRepository, type DashboardRow } from '../dashboards/dashboards.repository';
import type { FrozenReport } from '../dashboards/frozen-report';
import type { QueryCaller } from '@plinth/queries';
import {
  PublishedDashboardsRepository,
  type DashboardRef,
  type PublishedPlace,
} from './published-dashboards.repository';

/** A dashboard in the version that was published last. */
export interface PublishedContent extends PublishedPlace {
  dashboard: DashboardRow;
  reports: FrozenReport[];
  title: string;
  description: string | null;
}

/** Reads what was published. Whether a viewer may see it is for the caller to know. */
@Injectable()
export class PublishedContents {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly published: PublishedDashboardsRepository,
    private readonly dashboards: DashboardsRepository,
  ) {}

  /** @throws AppError `dashboard.not_found` (404) */
  find({ principal, deploymentId }: QueryCaller, ref: DashboardRef): Promise<PublishedContent> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      const place = await this.published.find(tx, deploymentId, ref);
      const dashboard = place && (await this.dashboards.find(tx, place.workbookId));
      if (!dashboard) throw dashboardNotFound();
      const reports = await this.dashboards.snapshots(tx, dashboard.versionId);
      const { title, description, config } = dashboard;
      return {
        ...place,
        ...{ dashboard, reports },
        title: title ?? config.title ?? place.workbookName,
        description: description ?? config.description ?? null,
      };
    });
  }
}

export const dashboardNotFound = (): AppError =>
  new AppError('dashboard.not_found', 'There is no such published dashboard');
