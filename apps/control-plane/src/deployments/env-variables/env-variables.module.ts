import { Module } from '@nestjs/common';
import { CredentialsDomain } from '../../credentials';
import { DeploymentsModule } from '../deployments/deployments.module';
import { EnvVariablesController } from './env-variables.controller';
import { EnvVariablesRepository } from './env-variables.repository';
import { EnvVariablesService } from './env-variables.service';

@Module({
  imports: [CredentialsDomain, DeploymentsModule],
  controllers: [EnvVariablesController],
  providers: [EnvVariablesService, EnvVariablesRepository],
  exports: [EnvVariablesRepository],
})
export class EnvVariablesModule {}
