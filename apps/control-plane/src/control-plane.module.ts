import { Module } from '@nestjs/common';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { AuditModule } from './audit/audit.module';
import { DeploymentsModule } from './deployments/deployments.module';
import { EnvVariablesModule } from './env-variables/env-variables.module';
import { EnvironmentsModule } from './environments/environments.module';
import { OAuthModule } from './oauth/oauth.module';
import { OAuthIntegrationsModule } from './oauth-integrations/oauth-integrations.module';
import { OidcTokenConfigsModule } from './oidc-token-configs/oidc-token-configs.module';
import { ProvisioningModule } from './provisioning/provisioning.module';
import { ProvisioningSettingsModule } from './provisioning-settings/provisioning-settings.module';
import { RegionsModule } from './regions/regions.module';
import { ResourcePoliciesModule } from './resource-policies/resource-policies.module';
import { RolesModule } from './roles/roles.module';
import { ScimRequestsModule } from './scim-requests/scim-requests.module';
import { ScimTokensModule } from './scim-tokens/scim-tokens.module';
import { SessionsModule } from './sessions/sessions.module';
import { TenantSettingsModule } from './tenant-settings/tenant-settings.module';
import { TenantsModule } from './tenants/tenants.module';
import { UserAttributesModule } from './user-attributes/user-attributes.module';
import { UserGroupsModule } from './user-groups/user-groups.module';
import { UserOAuthTokensModule } from './user-oauth-tokens/user-oauth-tokens.module';
import { UsersModule } from './users/users.module';

@Module({
  imports: [
    TenantsModule,
    TenantSettingsModule,
    UsersModule,
    UserGroupsModule,
    UserAttributesModule,
    ApiKeysModule,
    OAuthModule,
    SessionsModule,
    ScimTokensModule,
    ScimRequestsModule,
    ProvisioningModule,
    ProvisioningSettingsModule,
    RolesModule,
    ResourcePoliciesModule,
    AuditModule,
    DeploymentsModule,
    EnvVariablesModule,
    EnvironmentsModule,
    RegionsModule,
    OAuthIntegrationsModule,
    UserOAuthTokensModule,
    OidcTokenConfigsModule,
  ],
})
export class ControlPlaneModule {}
