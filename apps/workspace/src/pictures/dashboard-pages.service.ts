import { Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import { type HtmlColours, RenderingFailed, type Scene } from '@plinth/rendering';
import type { Controls } from '../data/data-results.service';
import { savedControls } from '../data/saved-controls';
import type { QueryCaller } from '@plinth/queries';
import { ChartData } from './chart-data.service';
import { ControlFields } from './control-fields.service';
import { chosenIn, type SentFields } from './control-form';
import { sceneParts } from './dashboard-scene';
import { themeFor } from './dashboard-theme';
import { type DrawnPage, DrawnPages } from './drawn-pages';
import { PublishedContents } from './published-content.service';
import type { DashboardRef } from './published-dashboards.repository';

export interface PageWishes {
  /** What the page's form has sent; as the dashboard has it saved when null. */
  fields: SentFields | null;
  /** What the host application wants; as the dashboard has it when null. */
  theme: 'light' | 'dark' | null;
  accent: string | null;
  locale: string;
  timeZone: string | null;
}

/** A dashboard as HTML without scripts. */
export interface DashboardPage extends Pick<Scene, 'title' | 'captions' | 'locale' | 'timeZone'> {
  description: string | null;
  html: string;
  css: string;
  colours: HtmlColours;
  hasFields: boolean;
}

/** Draws published dashboards for readers who choose what they see. */
@Injectable()
export class DashboardPages {
  constructor(
    private readonly contents: PublishedContents,
    private readonly charts: ChartData,
    private readonly controls: ControlFields,
    private readonly drawn: DrawnPages,
  ) {}

  /**
   * The dashboard in the version that was published last, with the data of now; a chart that cannot be read has its error in
   * its place. Whether the viewer may see it is for the caller to know.
   *
   * @throws AppError `dashboard.not_found` (404), `dashboard.undrawable` (422)
   */
  async draw(viewer: QueryCaller, ref: DashboardRef, wishes: PageWishes, signal?: AbortSignal): Promise<DashboardPage> {
    const { dashboard, reports, title, description } = await this.contents.find(viewer, ref);
    const { config } = dashboard;
    const widgets = config.widgets ?? [];
    const typeOf = await this.controls.typesFor(viewer, widgets);
    const chosen = wishes.fields === null ? savedControls(widgets) : chosenIn(widgets, wishes.fields, typeOf);
    const timeZone = wishes.timeZone ?? viewer.timeZone ?? 'UTC';
    const controls: Controls = { ...chosen, timezone: timeZone, limit: undefined, areShared: true };
    const [charts, fields] = await Promise.all([
      this.charts.of(viewer, widgets, reports, { controls, signal, onRead: () => undefined }),
      this.controls.of(viewer, widgets, chosen, typeOf),
    ]);
    const scene: Scene = {
      ...{ title, description, timeZone, locale: wishes.locale, at: new Date() },
      ...sceneParts({ config, charts, chosen, fields }),
      ...themeFor(config.theme, wishes),
    };
    const { grid: html, css, colours } = await this.paint(scene, String(viewer.principal.tenantId));
    const { captions, locale } = scene;
    return { title, description, captions, locale, timeZone, html, css, colours, hasFields: fields.size > 0 };
  }

  private paint(scene: Scene, owner: string): Promise<DrawnPage> {
    return this.drawn.of(scene, owner).catch((error: unknown) => {
      if (error instanceof RenderingFailed) throw new AppError('dashboard.undrawable', error.message, { cause: error });
      throw error;
    });
  }
}
