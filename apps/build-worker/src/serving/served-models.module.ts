import { Module } from '@nestjs/common';
import { BuildsModule } from '../builds';
import { CompilationModule } from '../compilation';
import { DataModelsModule } from '../data-models';
import { ProvisioningModule } from '../provisioning';
import { ServedModelsController } from './served-models.controller';
import { ServedModelsService } from './served-models.service';

/** Tells runtimes what branches serve. */
@Module({
  imports: [DataModelsModule, ProvisioningModule, CompilationModule, BuildsModule],
  controllers: [ServedModelsController],
  providers: [ServedModelsService],
})
export class ServedModelsModule {}
