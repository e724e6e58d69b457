import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, SANDBOXES, type Sandboxes } from '@plinth/host';
import { Renderer, renderingNeeds } from '@plinth/rendering';
import { DashboardsModule } from '../dashboards/dashboards.module';
import { DataModule } from '../data/data.module';
import { QueriesModule } from '../queries';
import { ChartData } from './chart-data.service';
import { DashboardPictures } from './dashboard-pictures.service';
import type { PictureConfig } from './pictures.config';
import { PublishedDashboardsRepository } from './published-dashboards.repository';
import { Subjects } from './subjects.service';

const renderer = {
  provide: Renderer,
  inject: [CONFIG, SANDBOXES],
  useFactory: async (config: PictureConfig, sandboxes: Sandboxes): Promise<Renderer> => {
    const { pictureFontFolders: fontFolders, pictureConcurrency: simultaneous } = config;
    const sandbox = await sandboxes.open(config, { readable: renderingNeeds(fontFolders), secrets: [] });
    return new Renderer({ sandbox, limits: { simultaneous }, fontFolders });
  },
};

/** Pictures of published dashboards, drawn behind a wall. */
@Module({
  imports: [DashboardsModule, DataModule, QueriesModule],
  providers: [renderer, ChartData, DashboardPictures, PublishedDashboardsRepository, Subjects],
  exports: [DashboardPictures, PublishedDashboardsRepository, Subjects],
})
export class PicturesModule implements OnApplicationShutdown {
  constructor(private readonly renderer: Renderer) {}

  onApplicationShutdown(): Promise<void> {
    return this.renderer.close();
  }
}
