import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, SANDBOXES, type Sandboxes } from '@plinth/host';
import { Renderer, renderingNeeds } from '@plinth/rendering';
import { DashboardsModule } from '../dashboards/dashboards.module';
import { DataModule } from '../data/data.module';
import { QueriesModule } from '@plinth/queries';
import { ChartData } from './chart-data.service';
import { ChartChecksController } from './chart-checks.controller';
import { ChartChecks } from './chart-checks.service';
import { ControlFields } from './control-fields.service';
import { DashboardPages } from './dashboard-pages.service';
import { DashboardPictures } from './dashboard-pictures.service';
import { DrawnPages } from './drawn-pages';
import { DrawnPictures } from './drawn-pictures';
import type { PictureConfig } from './pictures.config';
import { PublishedContents } from './published-content.service';
import { PublishedDashboardsRepository } from './published-dashboards.repository';
import { Subjects } from './subjects.service';

const rendererFor = async (config: PictureConfig, sandboxes: Sandboxes, simultaneous: number): Promise<Renderer> => {
  const { pictureFontFolders: fontFolders } = config;
  const sandbox = await sandboxes.open(config, { readable: renderingNeeds(fontFolders), secrets: [] });
  return new Renderer({ sandbox, limits: { simultaneous }, fontFolders });
};

const renderer = {
  provide: Renderer,
  inject: [CONFIG, SANDBOXES],
  useFactory: (config: PictureConfig, sandboxes: Sandboxes) =>
    rendererFor(config, sandboxes, config.pictureConcurrency),
};

const drawnPictures = {
  provide: DrawnPictures,
  inject: [Renderer],
  useFactory: (drawing: Renderer) => new DrawnPictures(drawing),
};

/** Readers who wait for a page do not wait for pictures. */
const drawnPages = {
  provide: DrawnPages,
  inject: [CONFIG, SANDBOXES],
  useFactory: async (config: PictureConfig, sandboxes: Sandboxes) =>
    new DrawnPages(await rendererFor(config, sandboxes, config.pageConcurrency)),
};

/** Pictures of published dashboards, drawn behind a wall. */
@Module({
  imports: [DashboardsModule, DataModule, QueriesModule],
  controllers: [ChartChecksController],
  providers: [
    ...[renderer, drawnPictures, drawnPages, ChartData, ChartChecks],
    ...[DashboardPictures, DashboardPages, ControlFields],
    ...[PublishedContents, PublishedDashboardsRepository, Subjects],
  ],
  exports: [DashboardPages, DashboardPictures, PublishedDashboardsRepository, Subjects],
})
export class PicturesModule implements OnApplicationShutdown {
  constructor(
    private readonly renderer: Renderer,
    private readonly pages: DrawnPages,
  ) {}

  onApplicationShutdown(): Promise<unknown> {
    return Promise.all([this.renderer.close(), this.pages.close()]);
  }
}
