import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { requestContext } from '@plinth/observability';
import { EmbeddedDashboards } from '../embedding/embedded-dashboards.service';
import { DashboardPages } from '../pictures';
import { QueryRunner } from '@plinth/queries';

/** Draws dashboards for those to whom host applications show them. */
@Injectable()
export class EmbedPages {
  constructor(
    private readonly dashboards: EmbeddedDashboards,
    private readonly runner: QueryRunner,
    private readonly pages: DashboardPages,
  ) {}

  /** @throws AppError as {@link EmbeddedDashboards.require} and {@link DashboardPages.draw} do */
  async draw(
    principal: Principal,
    { publicId, ...wishes }: BodyOf<'drawEmbeddedDashboard'>,
  ): Promise<ReplyOf<'drawEmbeddedDashboard'>> {
    const { place } = await this.dashboards.require(principal, { publicId });
    const { id, workbookId, deploymentId } = place;
    const viewer = await this.runner.callerFor(principal, deploymentId);
    const { captions, colours, ...page } = await this.pages.draw(viewer, { id }, wishes, requestContext()?.signal);
    return { workbookId, deploymentId, ...page, captions: [...captions], colours: { ...colours } };
  }
}
