import type { Database, SecretBox } from '@plinth/database';
import { statefulService } from '@plinth/host';
import { accountSettings, type AccountConfig } from './sign-in/sign-in.config';
import { AuditCheckpointsRepository } from './audit/audit-log/audit-checkpoints.repository';
import { AuditEventsRepository } from './audit/audit-log/audit-events.repository';
import { AuditVerifier } from './audit/audit-log/audit-verifier';
import { CheckpointSigner, type Checkpoint, type CheckpointPublicKey } from './audit/audit-log/checkpoint-signer';
import { controlPlaneProblems, controlPlaneSettings } from './control-plane.config';
import { ControlPlaneModule } from './control-plane.module';
import { controlPlaneSchema } from './control-plane.schema';
import { OperatorUsers } from './operator/operator-users.service';
import { SigningKeysRepository } from './sign-in/oauth/signing-keys.repository';
import { SigningKeys } from './sign-in/oauth/signing-keys.service';
import { PasswordLinkIssuer } from './sign-in/password-links/password-link-issuer';
import { PasswordLinksRepository } from './sign-in/password-links/password-links.repository';
import { AppConfigService } from './tenancy/tenant-settings/app-config.service';
import { TenantSettingsRepository } from './tenancy/tenant-settings/tenant-settings.repository';
import { TenantAddresses } from './tenancy/tenants/tenant-addresses.service';
import { TenantsRepository } from './tenancy/tenants/tenants.repository';
import { TenantsService } from './operator/tenants.service';

/** How the operator lets users in, on an open database of the control plane. */
export const operatorUsers = (database: Database): OperatorUsers => new OperatorUsers(database);

/** Makes links by which users set passwords, on an open database of the control plane. */
export const passwordLinkIssuer = (database: Database, config: AccountConfig): PasswordLinkIssuer =>
  new PasswordLinkIssuer(
    new PasswordLinksRepository(),
    new TenantAddresses(database, new TenantsRepository(), config),
    config,
  );

/** What the operator does across tenants, on an open database of the control plane. */
export const tenantsService = (database: Database): TenantsService => new TenantsService(database);

/** Checks the audit logs of an open database of the control plane. */
export const auditVerifier = (database: Database, signer: CheckpointSigner): AuditVerifier =>
  new AuditVerifier(database, new AuditEventsRepository(), new AuditCheckpointsRepository(), signer);

/** Sets how the apps of tenants look, on an open database of the control plane. */
export const appConfigService = (database: Database): AppConfigService =>
  new AppConfigService(database, new TenantSettingsRepository());

/** Keys of the tenants' issuers, on an open database of the control plane. */
export const signingKeys = (
  database: Database,
  secrets: SecretBox,
  config: Pick<AccountConfig, 'signingKeyRotationDays'>,
): SigningKeys =>
  new SigningKeys(database, secrets, new SigningKeysRepository(), new TenantSettingsRepository(), config);

/** The account that is made when there is none. */
export const FIRST_TENANT = 'local';

/** The control plane: accounts, credentials, deployments, and the audit log. */
export const controlPlane = statefulService({
  schema: controlPlaneSchema,
  settings: controlPlaneSettings,
  module: ControlPlaneModule,
  problems: controlPlaneProblems,
  afterStart: async ({ config, logger }, database) => {
    const { bootstrapApiKey, bootstrapHosts } = config;
    if (bootstrapApiKey === undefined) return;
    const made = await tenantsService(database).createFirst({
      name: FIRST_TENANT,
      hosts: bootstrapHosts.split(',').map((host) => host.trim()),
      adminEmail: 'admin@localhost',
      apiKey: bootstrapApiKey,
    });
    if (made) logger.info({ tenant: FIRST_TENANT }, 'made the first tenant');
  },
});

export { accountSettings, CheckpointSigner, controlPlaneSchema, type Checkpoint, type CheckpointPublicKey };
