import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AccessChanges } from '../../kernel';
import type { TenantSettings } from './tenant-settings.entity';
import { TenantSettingsRepository } from './tenant-settings.repository';

@Injectable()
export class TenantSettingsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly settings: TenantSettingsRepository,
    private readonly access: AccessChanges,
  ) {}

  async get(principal: Principal): Promise<ReplyOf<'getTenantSettings'>> {
    return toContractSettings(await this.of(principal.tenantId));
  }

  /** Merges the given fields; null and absent ones stay. */
  async update(principal: Principal, body: BodyOf<'updateTenantSettings'>): Promise<ReplyOf<'updateTenantSettings'>> {
    const changes = Object.fromEntries(Object.entries(body ?? {}).filter(([, value]) => value !== null));
    return this.access.mutate(principal, async (tx) => {
      const settings = await this.settings.findForUpdate(tx, principal.tenantId);
      const wasEnabled = settings.auditLogEnabled;
      Object.assign(settings, changes);
      if (settings.auditLogEnabled !== wasEnabled) settings.auditLogSwitchedAt = new Date();
      await this.settings.save(tx, settings);
      return toContractSettings(settings);
    });
  }

  /** The settings for services that act by them; whoever asks has been checked already. */
  of(tenantId: number): Promise<TenantSettings> {
    return this.database.transaction(tenantId, (tx) => this.settings.find(tx, tenantId));
  }
}

const toContractSettings = ({
  tenantId: _tenantId,
  appConfig: _appConfig,
  auditLogSwitchedAt,
  ...switches
}: TenantSettings): ReplyOf<'getTenantSettings'> => ({
  ...switches,
  auditLogEnabledCurrent: switches.auditLogEnabled,
  auditLogEnabledTimestamp: auditLogSwitchedAt?.getTime() ?? 0,
});
