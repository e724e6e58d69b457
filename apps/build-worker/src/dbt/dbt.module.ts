import { Module } from '@nestjs/common';
import { CompilationModule } from '../compilation';
import { DataModelsModule } from '../data-models';
import { ProvisioningModule } from '../provisioning';
import { RemotesModule } from '../remotes';
import { DbtSyncController } from './dbt-sync.controller';
import { PackageInstaller } from './packages/package-installer';
import { CubeWriter } from './run/cube-writer';
import { DbtSyncRunner } from './run/dbt-sync-runner';
import { GitSource } from './run/git-source';
import { ManifestSource } from './run/manifest-source';
import { ModelCheck } from './run/model-check';
import { DbtPushesRepository } from './sources/dbt-pushes.repository';
import { DbtRepository } from './sources/dbt-repository';
import { DbtSourcesRepository } from './sources/dbt-sources.repository';
import { DbtSourcesService } from './sources/dbt-sources.service';
import { SourceAccess } from './sources/source-access';
import { SourceTestService } from './sources/source-test.service';
import { ManifestStore } from './start/manifest-store';
import { PushedSyncs } from './start/pushed-syncs';
import { StartDbtSyncService } from './start/start-dbt-sync.service';
import { DbtSyncLogsRepository } from './syncs/dbt-sync-logs.repository';
import { DbtSyncQueue } from './syncs/dbt-sync-queue';
import { DbtSyncsRepository } from './syncs/dbt-syncs.repository';
import { DbtSyncsService } from './syncs/dbt-syncs.service';
import { DbtWebhooksService } from './webhooks/dbt-webhooks.service';

/** dbt projects that become cubes on branches. */
@Module({
  imports: [DataModelsModule, ProvisioningModule, CompilationModule, RemotesModule],
  controllers: [DbtSyncController],
  providers: [
    ...[DbtSourcesRepository, SourceAccess, DbtRepository, DbtSourcesService, SourceTestService],
    ...[DbtSyncsRepository, DbtSyncLogsRepository, DbtSyncQueue, DbtSyncsService],
    ...[ManifestStore, StartDbtSyncService],
    ...[DbtPushesRepository, PushedSyncs, DbtWebhooksService],
    ...[PackageInstaller, GitSource, ManifestSource, CubeWriter, ModelCheck, DbtSyncRunner],
  ],
})
export class DbtModule {}
