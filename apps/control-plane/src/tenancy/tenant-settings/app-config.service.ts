import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { validateReply, type ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { standardTheme } from './standard-theme';
import type { AppConfig } from './tenant-settings.entity';
import { TenantSettingsRepository } from './tenant-settings.repository';

/** How a tenant's app looks and behaves. Clients read it, the operator sets it. */
@Injectable()
export class AppConfigService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly settings: TenantSettingsRepository,
  ) {}

  /** Names of the fields that a configuration can have. */
  readonly fields: readonly string[] = Object.keys(withStandard({}));

  async get(principal: Principal): Promise<ReplyOf<'getAppConfig'>> {
    return this.of(principal.tenantId);
  }

  async theme(principal: Principal): Promise<ReplyOf<'getAppTheme'>> {
    return (await this.of(principal.tenantId)).appTheme ?? standardTheme;
  }

  /** The configuration of a tenant, for services that act by it. */
  async of(tenantId: number): Promise<ReplyOf<'getAppConfig'>> {
    const { appConfig } = await this.database.transaction(tenantId, (tx) => this.settings.find(tx, tenantId));
    return withStandard(appConfig);
  }

  /**
   * For the operator: replaces what the tenant has of its own; `{}` brings the standard back.
   *
   * @throws AppError `request.invalid` (400) with every problem when the configuration is not as the contract says.
   */
  async replace(tenantId: number, appConfig: AppConfig): Promise<ReplyOf<'getAppConfig'>> {
    const whole = withStandard(appConfig);
    const problems = validateReply('getAppConfig', 200, whole);
    if (problems.length > 0) {
      throw new AppError('request.invalid', problems.map(({ path, message }) => `${path} ${message}`).join(', '), {
        details: problems,
      });
    }
    await this.database.transaction(tenantId, async (tx) => {
      const settings = await this.settings.findForUpdate(tx, tenantId);
      await this.settings.save(tx, { ...settings, appConfig });
    });
    return whole;
  }
}

function withStandard(appConfig: AppConfig): ReplyOf<'getAppConfig'> {
  return {
    applyThemeGlobally: false,
    restrictDataDownload: false,
    sheetsAgentChatEnabled: false,
    appTheme: null,
    creatorMode: null,
    embedding: null,
    sheetsUi: null,
    timezoneSettings: null,
    ...appConfig,
  };
}
