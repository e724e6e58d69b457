import { Module } from '@nestjs/common';
import { AccessModule } from '../../rights/effective-policies/effective-policies.module';
import { PasswordsModule } from '../passwords/passwords.module';
import { SecretsModule } from '../../credentials/secrets/secrets.module';
import { TenantSettingsModule } from '../../tenancy/tenant-settings/tenant-settings.module';
import { TenantAddressesModule } from '../../tenancy/tenants/tenant-addresses.module';
import { UsersModule } from '../../people/users/users.module';
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
