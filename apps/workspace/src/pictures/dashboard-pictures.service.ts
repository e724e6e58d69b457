import { Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import { RenderingFailed, type Scene } from '@plinth/rendering';
import type { Controls } from '../data/data-results.service';
import { savedControls } from '../data/saved-controls';
import type { QueryCaller } from '@plinth/queries';
import { ChartData, type DrawnChart } from './chart-data.service';
import { sceneParts } from './dashboard-scene';
import { DrawnPictures } from './drawn-pictures';
import { pictureFormats, type Picture, type PictureFormat, type PictureOptions, type PictureWishes } from './picture';
import { PictureProgress } from './picture-progress';
import { PublishedContents } from './published-content.service';
import type { DashboardRef } from './published-dashboards.repository';

/** Draws published dashboards with the data that somebody sees. */
@Injectable()
export class DashboardPictures {
  constructor(
    private readonly contents: PublishedContents,
    private readonly charts: ChartData,
    private readonly drawn: DrawnPictures,
  ) {}

  /**
   * The dashboard in the version that was published last. Whether the viewer may see it is for the caller to know.
   *
   * @throws AppError `dashboard.not_found` (404), `dashboard.unreadable` (422) when no chart can be read,
   *   `dashboard.undrawable` (422) when there is no picture; and the reason of the signal
   */
  async draw(
    viewer: QueryCaller,
    dashboard: DashboardRef,
    wishes: PictureWishes & { format: PictureFormat },
    { signal, onProgress }: PictureOptions = {},
  ): Promise<Picture> {
    const progress = new PictureProgress(onProgress);
    const scene = await this.sceneOf(viewer, dashboard, wishes, { signal, progress });
    return this.paint(viewer, scene, wishes.format, { signal, progress });
  }

  /** As {@link draw}, what is drawn: for several pictures of the same data. */
  scene(
    viewer: QueryCaller,
    dashboard: DashboardRef,
    wishes: PictureWishes,
    { signal, onProgress }: PictureOptions = {},
  ): Promise<Scene> {
    return this.sceneOf(viewer, dashboard, wishes, { signal, progress: new PictureProgress(onProgress) });
  }

  /** As {@link draw}, of a scene that has been read. */
  drawScene(
    viewer: QueryCaller,
    scene: Scene,
    format: PictureFormat,
    { signal, onProgress }: PictureOptions = {},
  ): Promise<Picture> {
    return this.paint(viewer, scene, format, { signal, progress: new PictureProgress(onProgress) });
  }

  private async sceneOf(
    viewer: QueryCaller,
    ref: DashboardRef,
    { controls, locale, timeZone, at }: PictureWishes,
    { signal, progress }: Work,
  ): Promise<Scene> {
    const { dashboard, reports, title, description } = await this.contents.find(viewer, ref);
    const { config } = dashboard;
    const widgets = config.widgets ?? [];
    const saved = savedControls(widgets);
    const chosen: Controls = {
      filters: controls.filters ?? saved.filters,
      timeGrains: controls.timeGrains ?? saved.timeGrains,
      memberSwitchers: controls.memberSwitchers ?? saved.memberSwitchers,
      timezone: timeZone ?? viewer.timeZone ?? undefined,
      limit: undefined,
      areShared: true,
    };
    const onRead = (done: number, total: number): void => progress.read(done, total);
    const charts = await this.charts.of(viewer, widgets, reports, { controls: chosen, signal, onRead });
    requireSome(charts);
    return {
      ...{ title, description },
      ...{ locale, at, timeZone: chosen.timezone ?? 'UTC' },
      ...sceneParts({ config, charts, chosen }),
    };
  }

  private async paint(
    { principal }: QueryCaller,
    scene: Scene,
    format: PictureFormat,
    { signal, progress }: Work,
  ): Promise<Picture> {
    const onProgress = (done: number, total: number): void => progress.drawn(done, total);
    const options = { owner: String(principal.tenantId), ...(signal && { signal }), onProgress };
    const bytes = await this.drawn.of(scene, format, options).catch((error: unknown) => {
      if (error instanceof RenderingFailed) throw new AppError('dashboard.undrawable', error.message, { cause: error });
      throw error;
    });
    return { bytes, contentType: pictureFormats[format].contentType, title: scene.title };
  }
}

interface Work {
  signal: AbortSignal | undefined;
  progress: PictureProgress;
}

/** One error says as much as a picture full of them (ruling 40). */
function requireSome(charts: ReadonlyMap<string, DrawnChart>): void {
  const [first, ...rest] = [...charts.values()].map(({ chart }) => chart);
  if (!first || !('error' in first) || rest.some((chart) => !('error' in chart))) return;
  throw new AppError('dashboard.unreadable', `No chart of the dashboard could be read: ${first.error}`);
}
