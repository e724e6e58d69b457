import { Module } from '@nestjs/common';
import { CONFIG } from '@plinth/host';
import type { DeploymentConfig } from '../deployments.config';
import { ReleasesService } from './releases.service';
import { VersionCatalogue } from './version-catalogue';
import { VersionUsesRepository } from './version-uses.repository';

@Module({
  providers: [
    {
      provide: VersionCatalogue,
      inject: [CONFIG],
      useFactory: ({ versionCatalogueFile }: DeploymentConfig) => VersionCatalogue.load(versionCatalogueFile),
    },
    VersionUsesRepository,
    ReleasesService,
  ],
  exports: [ReleasesService],
})
export class VersionsModule {}
