import { Module } from '@nestjs/common';
import { CredentialsDomain } from '../../credentials';
import { RightsDomain } from '../../rights';
import { DeploymentSecretsModule } from '../secrets/deployment-secrets.module';
import { DataTokensController } from './data-tokens.controller';
import { DataTokens } from './data-tokens.service';
import { EnvironmentTokensRepository } from './environment-tokens.repository';
import { TokenHoldersRepository } from './token-holders.repository';

@Module({
  imports: [RightsDomain, CredentialsDomain, DeploymentSecretsModule],
  controllers: [DataTokensController],
  providers: [DataTokens, TokenHoldersRepository, EnvironmentTokensRepository],
  exports: [DataTokens, EnvironmentTokensRepository],
})
export class DataTokensModule {}
