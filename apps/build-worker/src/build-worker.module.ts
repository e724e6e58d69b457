import { Module } from '@nestjs/common';
import { AuthoringModule } from './authoring';
import { BuildsModule } from './builds';
import { CompilationModule } from './compilation';
import { DataModelsModule } from './data-models';
import { DbtModule } from './dbt';
import { ProvisioningModule } from './provisioning';
import { RemotesModule } from './remotes';
import { ServedModelsModule } from './serving';

/** The domains of the build worker, from the ground up. */
@Module({
  imports: [
    DataModelsModule,
    ProvisioningModule,
    CompilationModule,
    BuildsModule,
    ServedModelsModule,
    RemotesModule,
    AuthoringModule,
    DbtModule,
  ],
})
export class BuildWorkerModule {}
