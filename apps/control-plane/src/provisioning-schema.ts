import { CreateScimTokens1700600000000 } from './migrations/pre-deploy/1700600000000-CreateScimTokens.migration';
import { KeepUserProfiles1700600000001 } from './migrations/pre-deploy/1700600000001-KeepUserProfiles.migration';
import { CreateProvisioningSettings1700610000000 } from './migrations/pre-deploy/1700610000000-CreateProvisioningSettings.migration';
import { ProvisioningGroupRole, ProvisioningSettings } from './provisioning-settings/provisioning-settings.entity';
import { CoverMemberships1700800000000 } from './migrations/pre-deploy/1700800000000-CoverMemberships.migration';
import { ScimToken } from './scim-tokens/scim-token.entity';

/** What the control plane keeps for identity providers. */
export const provisioningEntities = [ScimToken, ProvisioningSettings, ProvisioningGroupRole];

export const provisioningMigrations = [
  CreateScimTokens1700600000000,
  KeepUserProfiles1700600000001,
  CreateProvisioningSettings1700610000000,
  CoverMemberships1700800000000,
];
