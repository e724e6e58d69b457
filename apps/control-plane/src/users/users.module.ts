import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { DeploymentsModule } from '../deployments/deployments.module';
import { PasswordLinksModule } from '../password-links/password-links.module';
import { FailedAttemptsRepository } from '../oauth/failed-attempts.repository';
import { GuessingThrottle } from '../oauth/guessing-throttle';
import { OAuthArtefactsRepository } from '../oauth/oauth-artefacts.repository';
import { ProviderRevocationsRepository } from '../oauth-integrations/provider-revocations.repository';
import { PasswordsModule } from '../passwords/passwords.module';
import { RolesModule } from '../roles/roles.module';
import { UserGroupsRepository } from '../user-groups/user-groups.repository';
import { BulkUserActions } from './bulk-user-actions.service';
import { FirstRoles } from './first-roles.service';
import { OwnPassword } from './own-password.service';
import { UserLifecycle } from './user-lifecycle.service';
import { UserPasswordLinks } from './user-password-links.service';
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
