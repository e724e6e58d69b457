import { Module } from '@nestjs/common';
import { DataSourcesService } from './data-sources/data-sources.service';
import { EnginesModule } from './engines.module';
import { VisibleEnvironments } from './environments/visible-environments';
import { EngineLogRepository } from './logs/engine-log.repository';
import { LogsService } from './logs/logs.service';
import { PodsService } from './pods/pods.service';
import { RuntimeController } from './runtime.controller';
import { EngineTargets } from './serving/engine-targets';
import { EngineUpdates } from './serving/engine-updates';
import { QueriesService } from './serving/queries.service';
import { QueryTurns } from './serving/query-turns';

@Module({
  imports: [EnginesModule],
  controllers: [RuntimeController],
  providers: [
    EngineTargets,
    EngineUpdates,
    QueryTurns,
    QueriesService,
    VisibleEnvironments,
    PodsService,
    LogsService,
    EngineLogRepository,
    DataSourcesService,
  ],
})
export class RuntimeModule {}
