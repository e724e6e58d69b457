import { systemPrincipal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import type { FailureLimiter } from '../limits/failure-limiter';
import { ShortCache } from '../short-cache';

export interface Tenant {
  tenantId: number;
  tenantName: string;
  /** Deployment whose data API alone is served under the host; absent for hosts of the tenant's own. */
  deploymentId?: number;
}

/** `acme.example.com:4000` -> `acme.example.com`; `[::1]:4000` -> `::1`. */
export const hostName = (header: string): string =>
  header
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();

/** Finds the tenant that a host name belongs to. */
export class TenantResolver {
  private readonly tenants: ShortCache<Tenant>;

  constructor(
    private readonly bus: Bus,
    private readonly failures: FailureLimiter,
    cacheMs: number,
  ) {
    this.tenants = new ShortCache(cacheMs);
    bus.subscribe('control-plane.tenant.changed', () => this.tenants.clear());
    bus.subscribe('control-plane.deployment.changed', () => this.tenants.clear());
  }

  /** The tenant of a host that is remembered. */
  peek(hostHeader: string | undefined): Tenant | undefined {
    return this.tenants.peek(hostName(hostHeader ?? '')) ?? undefined;
  }

  /**
   * @throws AppError `tenant.unknown_host` (404), `request.too_many_failures` (429) for who asks for many unknown ones.
   */
  async resolve(hostHeader: string | undefined, clientIp: string): Promise<Tenant> {
    const host = hostName(hostHeader ?? '');
    const find = async () => (host === '' ? null : this.tenants.resolve(host, () => this.lookUp(host)));
    const tenant = await this.failures.find('host', host, clientIp, find);
    if (!tenant) throw new AppError('tenant.unknown_host', 'No account is served under this host name');
    return tenant;
  }

  /** Whether hosts can be looked up right now: without that, no request can be served. */
  async isAnswered(): Promise<boolean> {
    await this.lookUp('readiness.invalid');
    return true;
  }

  private async lookUp(host: string): Promise<Tenant | null> {
    const { tenant, deploymentId } = await this.bus.ask('resolveTenant', systemPrincipal(0), { host });
    return tenant && { ...tenant, ...(deploymentId !== undefined && { deploymentId }) };
  }
}
