import { Inject, Injectable } from '@nestjs/common';
import type { addressSettings, ConfigOf } from '@plinth/config';
import { Database } from '@plinth/database';
import { CONFIG } from '@plinth/host';
import { TenantsRepository } from './tenants.repository';

/** Where people reach a tenant with a browser. */
@Injectable()
export class TenantAddresses {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tenants: TenantsRepository,
    @Inject(CONFIG) private readonly config: ConfigOf<typeof addressSettings>,
  ) {}

  /** Base URL of the tenant without a slash at its end. */
  async baseUrl(tenantId: number): Promise<string> {
    const host = await this.tenants.findMainHost(this.database, tenantId);
    if (host === undefined) throw new Error(`Tenant ${tenantId} has no host`);
    const written = host.includes(':') ? `[${host}]` : host;
    return this.config.publicUrlTemplate.replace('{host}', written).replace(/\/+$/, '');
  }
}
