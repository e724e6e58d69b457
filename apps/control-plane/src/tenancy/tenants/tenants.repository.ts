import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { In } from 'typeorm';
import { TenantDeletion } from './tenant-deletion.entity';
import { Tenant, TenantHost } from './tenant.entity';

export interface TenantWithHosts {
  id: number;
  name: string;
  hosts: string[];
}

/** Hosts of a tenant, and how much it has. */
export interface TenantSummary {
  hosts: string[];
  users: number;
  deployments: number;
}

/** What is known of a tenant that is gone. */
export interface DeletedTenant {
  tenantId: number;
  name: string;
  hosts: string[];
  beganAt: string;
  /** Null while its deletion is interrupted: the same command goes on. */
  finishedAt: string | null;
  rows: number;
  repositories: number;
  /** Where its audit log ended. */
  audit: { events: number; hash: string | null };
}

/** Tenants and their hosts. They belong to no tenant themselves, so all of this runs as the system. */
export class TenantsRepository extends BaseRepository {
  async insert(tx: Transaction, name: string, hosts: readonly string[]): Promise<TenantWithHosts> {
    return this.unlessTaken(async () => {
      const { id } = await this.managerFor(tx).save(Tenant, { name });
      await this.insertHosts(tx, id, hosts);
      return { id, name, hosts: [...hosts] };
    });
  }

  changeHosts(tx: Transaction, tenantId: number, added: readonly string[], removed: readonly string[]): Promise<void> {
    return this.unlessTaken(async () => {
      await this.managerFor(tx).delete(TenantHost, { tenantId, host: In([...removed]) });
      await this.insertHosts(tx, tenantId, added);
    });
  }

  async summaryOf(tx: Transaction, tenantId: number): Promise<TenantSummary> {
    const [summary] = await this.managerFor(tx).query<TenantSummary[]>(
      `select array(select host from tenant_host where tenant_id = $1 order by host) as hosts,
         (select count(*)::integer from user_account where tenant_id = $1) as users,
         (select count(*)::integer from deployment where tenant_id = $1) as deployments`,
      [tenantId],
    );
    return summary ?? { hosts: [], users: 0, deployments: 0 };
  }

  private async insertHosts(tx: Transaction, tenantId: number, hosts: readonly string[]): Promise<void> {
    if (hosts.length === 0) return;
    await this.managerFor(tx).insert(
      TenantHost,
      hosts.map((host) => ({ host, tenantId })),
    );
  }

  private unlessTaken<T>(work: () => Promise<T>): Promise<T> {
    const taken = (what: string) => () => new AppError('tenant.exists', `A tenant has this ${what} already`);
    return this.mapUnique({ tenant_name_unique: taken('name'), tenant_host_host_pk: taken('host') }, work);
  }

  list(tx: Transaction): Promise<TenantWithHosts[]> {
    return this.managerFor(tx).query<TenantWithHosts[]>(
      `select t.id, t.name, coalesce(array_agg(h.host order by h.host) filter (where h.host is not null), '{}') as hosts
       from tenant t left join tenant_host h on h.tenant_id = t.id
       group by t.id order by t.id`,
    );
  }

  async listDeletions(tx: Transaction, limit: number): Promise<DeletedTenant[]> {
    const deletions = await this.managerFor(tx).find(TenantDeletion, { order: { id: 'desc' }, take: limit });
    return deletions.map((each) => ({
      tenantId: each.deletedTenantId,
      name: each.name,
      hosts: each.hosts,
      beganAt: each.beganAt.toISOString(),
      finishedAt: each.finishedAt?.toISOString() ?? null,
      rows: each.deletedRows,
      repositories: each.repositories,
      audit: { events: each.auditEvents, hash: each.auditHash?.toString('hex') ?? null },
    }));
  }

  async findByName(tx: Transaction, name: string): Promise<Tenant | null> {
    return this.managerFor(tx).findOneBy(Tenant, { name });
  }

  /** Whether there is any tenant at all. */
  async isEmpty(tx: Transaction): Promise<boolean> {
    return !(await this.managerFor(tx).exists(Tenant));
  }

  async findByHost(database: Database, host: string): Promise<{ id: number; name: string } | undefined> {
    const [tenant] = await database.readAsSystem<{ id: number; name: string }>(
      {
        name: 'tenant-by-host',
        text: 'select t.id, t.name from tenant_host h join tenant t on t.id = h.tenant_id where h.host = $1',
      },
      [host],
    );
    return tenant;
  }

  async findAccount(database: Database, name: string): Promise<{ id: number; name: string } | undefined> {
    const statement = { name: 'tenant-by-name', text: 'select id, name from tenant where name = $1' };
    return (await database.readAsSystem<{ id: number; name: string }>(statement, [name]))[0];
  }

  /** The host to name in links: one with a name rather than an address, the first of them in the alphabet. */
  async findMainHost(database: Database, tenantId: number): Promise<string | undefined> {
    const [found] = await database.readAsSystem<{ host: string }>(
      {
        name: 'main-host-of-tenant',
        text: `select host from tenant_host where tenant_id = $1 order by host ~ ':|^[0-9.]+$', host limit 1`,
      },
      [tenantId],
    );
    return found?.host;
  }
}
