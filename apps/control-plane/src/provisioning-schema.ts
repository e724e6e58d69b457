import { CreateScimTokens1700600000000 } from './migrations/pre-deploy/1700600000000-CreateScimTokens.migration';
import { KeepUserProfiles1700600000001 } from './migrations/pre-deploy/1700600000001-KeepUserProfiles.migration';
import { ScimToken } from './scim-tokens/scim-token.entity';

/** What the control plane keeps for identity providers. */
export const provisioningEntities = [ScimToken];

export const provisioningMigrations = [CreateScimTokens1700600000000, KeepUserProfiles1700600000001];
