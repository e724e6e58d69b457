import { Module } from '@nestjs/common';
import { CredentialsDomain } from '../../credentials';
import { RightsDomain } from '../../rights';
import { DeploymentSecretsModule } from '../secrets/deployment-secrets.module';
import { ChatTokensRepository } from './chat-tokens.repository';
import { ChatTokens } from './chat-tokens.service';
import { ContextAdditions } from './context-additions';
import { DataTokensController } from './data-tokens.controller';
import { DataTokens } from './data-tokens.service';
import { EnvironmentTokensRepository } from './environment-tokens.repository';
import { OwnContexts } from './own-contexts.service';
import { TokenHoldersRepository } from './token-holders.repository';

@Module({
  imports: [RightsDomain, CredentialsDomain, DeploymentSecretsModule],
  controllers: [DataTokensController],
  providers: [
    ChatTokens,
    ChatTokensRepository,
    ContextAdditions,
    DataTokens,
    OwnContexts,
    TokenHoldersRepository,
    EnvironmentTokensRepository,
  ],
  exports: [ContextAdditions, DataTokens, OwnContexts, EnvironmentTokensRepository],
})
export class DataTokensModule {}
