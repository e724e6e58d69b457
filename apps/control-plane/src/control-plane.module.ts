import { Module } from '@nestjs/common';
import { ApiKeysModule } from './credentials/api-keys/api-keys.module';
import { AuditModule } from './audit/audit.module';
import { DeploymentsModule } from './deployments/deployments/deployments.module';
import { EnvVariablesModule } from './deployments/env-variables/env-variables.module';
import { EnvironmentsModule } from './deployments/environments/environments.module';
import { OAuthModule } from './sign-in/oauth/oauth.module';
import { OAuthIntegrationsModule } from './integrations/oauth-integrations/oauth-integrations.module';
import { OidcTokenConfigsModule } from './integrations/oidc-token-configs/oidc-token-configs.module';
import { ProvisioningModule } from './provisioning/resources/provisioning.module';
import { ProvisioningSettingsModule } from './provisioning/provisioning-settings/provisioning-settings.module';
import { RegionsModule } from './deployments/regions/regions.module';
import { ResourcePoliciesModule } from './rights/resource-policies/resource-policies.module';
import { RolesModule } from './rights/roles/roles.module';
import { ScimRequestsModule } from './provisioning/scim-requests/scim-requests.module';
import { ScimTokensModule } from './credentials/scim-tokens/scim-tokens.module';
import { SessionsModule } from './sign-in/sessions/sessions.module';
import { TenantSettingsModule } from './tenancy/tenant-settings/tenant-settings.module';
import { TenantsModule } from './directory/directory.module';
import { UserAttributesModule } from './people/user-attributes/user-attributes.module';
import { UserGroupsModule } from './people/user-groups/user-groups.module';
import { UserOAuthTokensModule } from './integrations/user-oauth-tokens/user-oauth-tokens.module';
import { UsersModule } from './people/users/users.module';

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
