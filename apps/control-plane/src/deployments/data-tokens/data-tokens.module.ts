import { Module } from '@nestjs/common';
import { AccessModule } from '../../rights/effective-policies/effective-policies.module';
import { DeploymentSecretsRepository } from '../deployments/deployment-secrets.repository';
import { SecretsModule } from '../../credentials/secrets/secrets.module';
import { DataTokensController } from './data-tokens.controller';
import { DataTokens } from './data-tokens.service';
import { TokenHoldersRepository } from './token-holders.repository';

@Module({
  imports: [AccessModule, SecretsModule],
  controllers: [DataTokensController],
  providers: [DataTokens, TokenHoldersRepository, DeploymentSecretsRepository],
  exports: [DataTokens, DeploymentSecretsRepository],
})
export class DataTokensModule {}
