import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { PasswordsModule } from '../passwords/passwords.module';
import { SecretsModule } from '../secrets/secrets.module';
import { TenantSettingsModule } from '../tenant-settings/tenant-settings.module';
import { TenantAddressesModule } from '../tenants/tenant-addresses.module';
import { UsersModule } from '../users/users.module';
import { FailedAttemptsRepository } from './failed-attempts.repository';
import { GuessingThrottle } from './guessing-throttle';
import { OAuthArtefactsRepository } from './oauth-artefacts.repository';
import { OAuthArtefacts } from './oauth-artefacts.service';
import { OAuthController } from './oauth.controller';
import { SignInController } from './sign-in.controller';
import { SignInService } from './sign-in.service';
import { SigningKeysRepository } from './signing-keys.repository';
import { SigningKeys } from './signing-keys.service';
import { WorkloadTokens } from './workload-tokens.service';

@Module({
  imports: [AccessModule, PasswordsModule, SecretsModule, TenantAddressesModule, TenantSettingsModule, UsersModule],
  controllers: [OAuthController, SignInController],
  providers: [
    OAuthArtefacts,
    OAuthArtefactsRepository,
    SignInService,
    GuessingThrottle,
    FailedAttemptsRepository,
    SigningKeys,
    SigningKeysRepository,
    WorkloadTokens,
  ],
  exports: [WorkloadTokens],
})
export class OAuthModule {}
