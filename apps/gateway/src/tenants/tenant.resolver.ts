import { systemPrincipal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { ShortCache, type Bus } from '@plinth/messaging';
import type { FailureLimiter } from '../limits/failure-limiter';

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
  private readonly accounts: ShortCache<Tenant>;
  private readonly sharedHost: string | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly failures: FailureLimiter,
    cacheMs: number,
    aiUrl?: string,
  ) {
    this.tenants = new ShortCache(cacheMs);
    this.accounts = new ShortCache(cacheMs);
    this.sharedHost = aiUrl === undefined ? undefined : hostName(new URL(aiUrl).host);
    bus.subscribe('control-plane.tenant.changed', () => {
      this.tenants.clear();
      this.accounts.clear();
    });
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

  /** Whether it is the host at which agents of all accounts are asked, and nothing else is. */
  isShared(hostHeader: string | undefined): boolean {
    return this.sharedHost !== undefined && hostName(hostHeader ?? '') === this.sharedHost;
  }

  /**
   * The tenant that a path names at the shared host.
   *
   * @throws AppError `account.not_found` (404), `request.too_many_failures` (429) for who asks for many unknown ones.
   */
  async resolveAccount(accountName: string, clientIp: string): Promise<Tenant> {
    const find = () => this.accounts.resolve(accountName, () => this.lookUp(this.sharedHost ?? '', accountName));
    const tenant = await this.failures.find('host', `account ${accountName}`, clientIp, find);
    if (!tenant) throw new AppError('account.not_found', 'There is no such account here');
    return tenant;
  }

  /** Whether hosts can be looked up right now: without that, no request can be served. */
  async isAnswered(): Promise<boolean> {
    await this.lookUp('readiness.invalid');
    return true;
  }

  private async lookUp(host: string, accountName?: string): Promise<Tenant | null> {
    const asked = { host, ...(accountName !== undefined && { accountName }) };
    const { tenant, deploymentId } = await this.bus.ask('resolveTenant', systemPrincipal(0), asked);
    return tenant && { ...tenant, ...(deploymentId !== undefined && { deploymentId }) };
  }
}
