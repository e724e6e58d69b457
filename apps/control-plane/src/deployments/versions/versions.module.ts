import { Module } from '@nestjs/common';
import { CONFIG } from '@plinth/host';
import type { VersionConfig } from './versions.config';
import { ReleasesService } from './releases.service';
import { VersionCatalogue } from './version-catalogue';
import { VersionUsesRepository } from './version-uses.repository';

@Module({
  providers: [
    {
      provide: VersionCatalogue,
      inject: [CONFIG],
      useFactory: ({ versionCatalogueFile }: VersionConfig) => VersionCatalogue.load(versionCatalogueFile),
    },
    VersionUsesRepository,
    ReleasesService,
  ],
  exports: [ReleasesService],
})
export class VersionsModule {}
