import type { DomainSchema } from '../kernel';
import { ProvisioningGroupRole, ProvisioningSettings } from './provisioning-settings/provisioning-settings.entity';
import { ScimRequest } from './scim-requests/scim-request.entity';
import { CreateProvisioningSettings1700610000000 } from './migrations/pre-deploy/1700610000000-CreateProvisioningSettings.migration';
import { CreateScimRequests1700620000000 } from './migrations/pre-deploy/1700620000000-CreateScimRequests.migration';

/** What the control plane keeps about identity providers. */
export const provisioningSchema = {
  entities: [ProvisioningSettings, ProvisioningGroupRole, ScimRequest],
  migrations: [CreateProvisioningSettings1700610000000, CreateScimRequests1700620000000],
  retention: [{ table: 'scim_request', expired: `occurred_at < now() - interval '30 days'` }],
} satisfies DomainSchema;
