import { hkdfSync } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ConfigOf, databaseSettings } from '@plinth/config';
import type { ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import type { UsageAnalyticsConfig } from './usage-analytics.config';
import { signToken } from '../data-tokens/token-signer';
import { TenantSettingsRepository } from '../../tenancy';

const LIFETIME_SECONDS = 3_600;
const SECRET_BYTES = 48;

/** Access to the deployment that holds the usage data of all tenants; a token shows those of its own tenant alone. */
@Injectable()
export class UsageAnalyticsService {
  private readonly secret: string;

  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly settings: TenantSettingsRepository,
    @Inject(CONFIG)
    private readonly config: UsageAnalyticsConfig & Pick<ConfigOf<typeof databaseSettings>, 'encryptionKeys'>,
  ) {
    this.secret = config.usageAnalyticsSecret ?? derivedSecret(config.encryptionKeys);
  }

  async createToken(principal: Principal): Promise<ReplyOf<'createToken'>> {
    const { tenantId, tenantName } = principal;
    return this.database.mutate(principal, async (tx) => {
      const { usageAnalyticsEnabled } = await this.settings.find(tx, tenantId);
      if (!usageAnalyticsEnabled) throw new AppError('usage_analytics.off', 'Usage analytics is switched off');
      const { token, expiresAt } = await signToken(this.secret, { tenantId, tenantName }, LIFETIME_SECONDS);
      return {
        token,
        apiUrl: `${this.config.usageAnalyticsUrl.replace(/\/+$/, '')}/cubejs-api/v1`,
        deploymentId: this.config.usageAnalyticsDeploymentId,
        expiresAt: expiresAt.toISOString(),
      };
    });
  }
}

/** The same on every replica. It changes with the encryption key, which ends the tokens of the hour before. */
const derivedSecret = ([current = '']: readonly string[]): string =>
  Buffer.from(hkdfSync('sha256', Buffer.from(current, 'base64'), '', 'usage analytics', SECRET_BYTES)).toString(
    'base64url',
  );
