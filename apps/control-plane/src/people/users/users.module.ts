import { Module } from '@nestjs/common';
import { AccessModule } from '../../rights/effective-policies/effective-policies.module';
import { ApiKeysModule } from '../../credentials/api-keys/api-keys.module';
import { DeploymentsModule } from '../../deployments/deployments/deployments.module';
import { PasswordLinksModule } from '../../sign-in/password-links/password-links.module';
import { FailedAttemptsRepository } from '../../sign-in/oauth/failed-attempts.repository';
import { GuessingThrottle } from '../../sign-in/oauth/guessing-throttle';
import { OAuthArtefactsRepository } from '../../sign-in/oauth/oauth-artefacts.repository';
import { ProviderRevocationsRepository } from '../../integrations/oauth-integrations/provider-revocations.repository';
import { PasswordsModule } from '../../sign-in/passwords/passwords.module';
import { RolesModule } from '../../rights/roles/roles.module';
import { UserGroupsRepository } from '../user-groups/user-groups.repository';
import { BulkUserActions } from './bulk-user-actions.service';
import { FirstRoles } from '../../rights/roles/first-roles.service';
import { OwnPassword } from '../../sign-in/passwords/own-password.service';
import { UserLifecycle } from './user-lifecycle.service';
import { UserPasswordLinks } from '../../sign-in/password-links/user-password-links.service';
import { UserPreferences } from './user-preferences.service';
import { UsersAdminController } from './users-admin.controller';
import { UsersAdminService } from './users-admin.service';
import { UsersController } from './users.controller';
import { UsersRepository } from './users.repository';
import { UsersService } from './users.service';

@Module({
  imports: [AccessModule, ApiKeysModule, RolesModule, DeploymentsModule, PasswordsModule, PasswordLinksModule],
  controllers: [UsersController, UsersAdminController],
  providers: [
    UsersService,
    UsersAdminService,
    BulkUserActions,
    UserLifecycle,
    FirstRoles,
    UserPreferences,
    UserPasswordLinks,
    OwnPassword,
    GuessingThrottle,
    FailedAttemptsRepository,
    UsersRepository,
    OAuthArtefactsRepository,
    ProviderRevocationsRepository,
    UserGroupsRepository,
  ],
  exports: [UsersRepository, UserLifecycle, FirstRoles],
})
export class UsersModule {}
