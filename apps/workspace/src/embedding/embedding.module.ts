import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { EmbeddedDashboardsController } from './embedded-dashboards.controller';
import { EmbeddedDashboardsRepository } from './embedded-dashboards.repository';
import { EmbeddedDashboards } from './embedded-dashboards.service';

@Module({
  imports: [ContentModule],
  controllers: [EmbeddedDashboardsController],
  providers: [EmbeddedDashboards, EmbeddedDashboardsRepository],
  exports: [EmbeddedDashboards],
})
export class EmbeddingModule {}
