import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { EmbeddingModule } from '../embedding/embedding.module';
import { PicturesModule } from '../pictures';
import { ExportMetrics } from './export-metrics';
import { ExportRunner } from './export-runner';
import { ExportsController } from './exports.controller';
import { ExportsRepository } from './exports.repository';
import { ExportsService } from './exports.service';

/** Published dashboards as files. */
@Module({
  imports: [ContentModule, EmbeddingModule, PicturesModule],
  controllers: [ExportsController],
  providers: [ExportsRepository, ExportsService, ExportRunner, ExportMetrics],
})
export class ExportsModule {}
