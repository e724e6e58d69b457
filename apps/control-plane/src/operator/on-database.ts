import { addressSettings, type ConfigOf } from '@plinth/config';
import type { Database, SecretBox } from '@plinth/database';
import { AuditCheckpointsRepository, AuditEventsRepository, AuditVerifier, type CheckpointSigner } from '../audit';
import {
  PasswordLinkIssuer,
  PasswordLinksRepository,
  SigningKeys,
  SigningKeysRepository,
  signInSettings,
} from '../sign-in';
import { AppConfigService, TenantAddresses, TenantSettingsRepository, TenantsRepository } from '../tenancy';
import { OperatorUsers } from './operator-users.service';
import { TenantsService } from './tenants.service';

/** Settings of how people come to their accounts. */
export const accountSettings = { ...addressSettings, ...signInSettings };

type AccountConfig = ConfigOf<typeof accountSettings>;

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
