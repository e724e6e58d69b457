import { Module } from '@nestjs/common';
import { BuildsModule } from '../builds';
import { CompilationModule } from '../compilation';
import { DataModelsModule } from '../data-models';
import { ProvisioningModule } from '../provisioning';
import { AgentSkillFilesService } from './agent-skill-files.service';
import { ServedModelsController } from './served-models.controller';
import { ServedModelsService } from './served-models.service';

/** Tells runtimes and agents what branches serve. */
@Module({
  imports: [DataModelsModule, ProvisioningModule, CompilationModule, BuildsModule],
  controllers: [ServedModelsController],
  providers: [ServedModelsService, AgentSkillFilesService],
})
export class ServedModelsModule {}
