import { Module } from '@nestjs/common';
import { CredentialsDomain } from '../../credentials';
import { KernelModule } from '../../kernel';
import { PeopleDomain, UserLifecycle } from '../../people';
import { TenancyDomain } from '../../tenancy';
import { GuessingModule } from '../guessing/guessing.module';
import { OAuthArtefactsRepository } from './oauth-artefacts.repository';
import { OAuthArtefacts } from './oauth-artefacts.service';
import { OAuthController } from './oauth.controller';
import { SigningKeysRepository } from './signing-keys.repository';
import { SigningKeys } from './signing-keys.service';
import { WorkloadTokens } from './workload-tokens.service';

@Module({
  imports: [KernelModule, TenancyDomain, PeopleDomain, CredentialsDomain, GuessingModule],
  controllers: [OAuthController],
  providers: [OAuthArtefacts, OAuthArtefactsRepository, SigningKeys, SigningKeysRepository, WorkloadTokens],
  exports: [OAuthArtefactsRepository, WorkloadTokens],
})
export class OAuthModule {
  constructor(lifecycle: UserLifecycle, artefacts: OAuthArtefactsRepository) {
    lifecycle.register({ onSignOut: (tx, userId) => artefacts.endAllOfUser(tx, userId) });
  }
}
