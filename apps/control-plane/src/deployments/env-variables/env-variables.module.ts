import { Module } from '@nestjs/common';
import { CredentialsDomain } from '../../credentials';
import { DeploymentsModule } from '../deployments/deployments.module';
import { EngineSettingsController } from './engine-settings.controller';
import { EngineSettingsService } from './engine-settings.service';
import { EnvVariablesController } from './env-variables.controller';
import { EnvVariablesRepository } from './env-variables.repository';
import { EnvVariablesService } from './env-variables.service';

@Module({
  imports: [CredentialsDomain, DeploymentsModule],
  controllers: [EnvVariablesController, EngineSettingsController],
  providers: [EnvVariablesService, EngineSettingsService, EnvVariablesRepository],
})
export class EnvVariablesModule {}
