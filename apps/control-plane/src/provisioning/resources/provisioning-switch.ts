import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { TenantAddresses, TenantSettingsRepository } from '../../tenancy';

/** Whether identity providers may do anything in a tenant, and where its resources are. */
@Injectable()
export class ProvisioningSwitch {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly settings: TenantSettingsRepository,
    private readonly addresses: TenantAddresses,
  ) {}

  /**
   * Base URL of the tenant while it lets itself be provisioned.
   *
   * @throws AppError `scim.off` (403).
   */
  async enter(principal: Principal): Promise<string> {
    const { tenantId } = principal;
    const isOn = await this.settings.isScimEnabled(this.database, tenantId);
    if (!isOn) throw new AppError('scim.off', 'Provisioning is switched off for this account');
    return this.addresses.baseUrl(tenantId);
  }

  /** Base URL of the tenant for anybody: what SCIM says of itself is public. */
  async locate({ tenantId }: Principal): Promise<ReplyOf<'locateProvisioning'>> {
    return { baseUrl: await this.addresses.baseUrl(tenantId) };
  }
}
