import type { Database } from '@plinth/database';
import { statefulService } from '@plinth/host';
import { ApiKeysRepository } from './api-keys/api-keys.repository';
import { AuditEventsRepository } from './audit/audit-events.repository';
import { AuditVerifier } from './audit/audit-verifier';
import { controlPlaneSettings } from './control-plane.config';
import { ControlPlaneModule } from './control-plane.module';
import { controlPlaneSchema } from './control-plane.schema';
import { RolesRepository } from './roles/roles.repository';
import { AppConfigService } from './tenant-settings/app-config.service';
import { TenantSettingsRepository } from './tenant-settings/tenant-settings.repository';
import { TenantsRepository } from './tenants/tenants.repository';
import { TenantsService } from './tenants/tenants.service';
import { UsersRepository } from './users/users.repository';

/** What the operator does across tenants, on an open database of the control plane. */
export const tenantsService = (database: Database): TenantsService =>
  new TenantsService(
    database,
    new TenantsRepository(),
    new UsersRepository(),
    new ApiKeysRepository(),
    new RolesRepository(),
  );

/** Checks the audit logs of an open database of the control plane. */
export const auditVerifier = (database: Database): AuditVerifier =>
  new AuditVerifier(database, new AuditEventsRepository());

/** Sets how the apps of tenants look, on an open database of the control plane. */
export const appConfigService = (database: Database): AppConfigService =>
  new AppConfigService(database, new TenantSettingsRepository());

/** The control plane: accounts, credentials, deployments, and the audit log. */
export const controlPlane = statefulService({
  schema: controlPlaneSchema,
  settings: controlPlaneSettings,
  module: ControlPlaneModule,
  afterStart: async ({ config, logger }, database) => {
    const { bootstrapApiKey, bootstrapHosts } = config;
    if (bootstrapApiKey === undefined) return;
    const made = await tenantsService(database).createFirst({
      name: 'local',
      hosts: bootstrapHosts.split(',').map((host) => host.trim()),
      adminEmail: 'admin@localhost',
      apiKey: bootstrapApiKey,
    });
    if (made) logger.info({ tenant: 'local' }, 'made the first tenant');
  },
});

export { controlPlaneSchema };
