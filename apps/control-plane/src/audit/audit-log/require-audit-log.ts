import { AppError } from '@plinth/errors';
import type { TenantSettingsService } from '../../tenancy';

/** @throws AppError `audit_log.off` (403) while the tenant has not enabled its audit log. */
export async function requireAuditLog(settings: TenantSettingsService, tenantId: number): Promise<void> {
  if ((await settings.of(tenantId)).auditLogEnabled) return;
  throw new AppError(
    'audit_log.off',
    'The audit log is not enabled: an administrator enables it with auditLogEnabled in the tenant settings',
  );
}
