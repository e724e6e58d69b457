import { Module } from '@nestjs/common';
import { CredentialsDomain } from '../../credentials';
import { DeploymentsDomain } from '../../deployments';
import { KernelModule } from '../../kernel';
import { PeopleDomain } from '../../people';
import { RightsDomain } from '../../rights';
import { SignInDomain } from '../../sign-in';
import { BulkUserActions } from './bulk-user-actions.service';
import { UserPreferences } from './user-preferences.service';
import { UsersAdminController } from './users-admin.controller';
import { UsersAdminService } from './users-admin.service';
import { UsersController } from './users.controller';
import { UsersService } from './users.service';

@Module({
  imports: [KernelModule, PeopleDomain, RightsDomain, CredentialsDomain, SignInDomain, DeploymentsDomain],
  controllers: [UsersController, UsersAdminController],
  providers: [UsersService, UsersAdminService, BulkUserActions, UserPreferences],
})
export class AccountsModule {}
