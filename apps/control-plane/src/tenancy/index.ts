export { TenancyDomain } from './tenancy.module';
export { tenancySchema } from './tenancy.schema';
export { AppConfigService } from './tenant-settings/app-config.service';
export { TenantSettingsRepository } from './tenant-settings/tenant-settings.repository';
export { TenantSettingsService } from './tenant-settings/tenant-settings.service';
export { TenantAddresses } from './tenants/tenant-addresses.service';
export {
  TenantsRepository,
  type DeletedTenant,
  type TenantSummary,
  type TenantWithHosts,
} from './tenants/tenants.repository';
