import type { RetentionRule } from '@plinth/database';
import { CreateScimTokens1700600000000 } from '../credentials/migrations/pre-deploy/1700600000000-CreateScimTokens.migration';
import { KeepUserProfiles1700600000001 } from '../people/migrations/pre-deploy/1700600000001-KeepUserProfiles.migration';
import { CreateProvisioningSettings1700610000000 } from './migrations/pre-deploy/1700610000000-CreateProvisioningSettings.migration';
import { CreateScimRequests1700620000000 } from './migrations/pre-deploy/1700620000000-CreateScimRequests.migration';
import { CoverMemberships1700810000000 } from '../people/migrations/pre-deploy/1700810000000-CoverMemberships.migration';
import { LetExternalIdsRepeat1700930000000 } from '../people/migrations/pre-deploy/1700930000000-LetExternalIdsRepeat.migration';
import { AllowAccountsWithoutAddress1700930000001 } from '../people/migrations/pre-deploy/1700930000001-AllowAccountsWithoutAddress.migration';
import { ProvisioningGroupRole, ProvisioningSettings } from './provisioning-settings/provisioning-settings.entity';
import { ScimRequest } from './scim-requests/scim-request.entity';
import { ScimToken } from '../credentials/scim-tokens/scim-token.entity';

/** What the control plane keeps for identity providers. */
export const provisioningEntities = [ScimToken, ProvisioningSettings, ProvisioningGroupRole, ScimRequest];

export const provisioningMigrations = [
  CreateScimTokens1700600000000,
  KeepUserProfiles1700600000001,
  CreateProvisioningSettings1700610000000,
  CreateScimRequests1700620000000,
  CoverMemberships1700810000000,
  LetExternalIdsRepeat1700930000000,
  AllowAccountsWithoutAddress1700930000001,
];

export const provisioningRetention: readonly RetentionRule[] = [
  { table: 'scim_request', expired: `occurred_at < now() - interval '30 days'` },
];
