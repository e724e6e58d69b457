import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import {
  isOfTenants,
  lastNumbers,
  migrationsOf,
  sealingKeysOf,
  tablesOf,
  writeRows,
  type ArchivedTable,
} from '@plinth/database';
import { packEverything, repositoryPath } from '@plinth/git';
import { failpoint } from '@plinth/observability';
import type { Client } from 'pg';
import { BackupError } from './backup-error';
import {
  FORMAT,
  HEADER,
  OUTCOME,
  packEntry,
  refsEntry,
  rowsEntry,
  type ArchivedTenant,
  type BackupHeader,
  type BackupOutcome,
} from './backup-format';
import { BackupWriter } from './backup-writer';
import { withOwner } from './owner-connection';
import { writeReferences } from './references-text';
import { serviceSchemas } from './service-schemas';
import { requireRemoved, takeSnapshot, type KeptRepository, type Snapshot } from './snapshot';

export interface BackupSource {
  /** Connection string of the owner of the database. */
  url: string;
  storageRoot: string;
  /** Version of the running release. */
  release: string;
  /** Name of the only tenant to keep; everything when absent. */
  tenant?: string | undefined;
}

export interface MadeBackup extends BackupOutcome {
  bytes: number;
  keyIds: string[];
  tenants: ArchivedTenant[];
  /** How long writes to data models waited while the snapshot was taken. */
  writesPausedMs: number;
}

const ATTEMPTS = 3;

/**
 * Writes everything of a platform, or of one tenant, as it is at one moment into a file. The platform may run.
 *
 * @throws BackupError with a sentence for the operator; then there is no file
 */
export async function makeBackup(source: BackupSource, file: string): Promise<MadeBackup> {
  const writer = new BackupWriter(file);
  try {
    return await withOwner(source.url, (client) => new Backup(source, client, writer).make());
  } finally {
    await writer.discard();
  }
}

class Backup {
  private readonly removed: string[] = [];
  private rows = 0;
  private repositories = 0;

  constructor(
    private readonly source: BackupSource,
    private readonly client: Client,
    private readonly writer: BackupWriter,
  ) {}

  async make(): Promise<MadeBackup> {
    const tenant = await this.onlyTenant();
    const { url, storageRoot } = this.source;
    const snapshot = await takeSnapshot(this.client, { url, storageRoot, tenantId: tenant?.id });
    const services = await this.tables(tenant);
    const header = await this.header(tenant, services);
    await this.writer.addText(HEADER, `${JSON.stringify(header, null, 2)}\n`);
    await this.addRows([...services.values()].flat(), tenant?.id);
    await this.client.query('rollback');
    failpoint('backup.after-rows');
    await this.addRepositories(snapshot);
    const outcome = { rows: this.rows, repositories: this.repositories, removedMeanwhile: this.removed };
    await this.writer.addText(OUTCOME, `${JSON.stringify(outcome)}\n`);
    const bytes = await this.writer.finish();
    const { keyIds, tenants } = header;
    return { bytes, keyIds, tenants, ...outcome, writesPausedMs: snapshot.pausedMs };
  }

  private async onlyTenant(): Promise<ArchivedTenant | undefined> {
    if ((await migrationsOf(this.client, 'control-plane')).length === 0) {
      throw new BackupError('There is no platform in the database');
    }
    const name = this.source.tenant;
    if (name === undefined) return undefined;
    const { rows } = await this.client.query<ArchivedTenant>(
      'select id, name from control_plane.tenant where name = $1',
      [name],
    );
    if (!rows[0]) throw new BackupError(`There is no tenant named ${name}`);
    return rows[0];
  }

  private async tables(tenant: ArchivedTenant | undefined): Promise<Map<string, ArchivedTable[]>> {
    await this.client.query('reset role');
    const byService = new Map<string, ArchivedTable[]>();
    for (const { service } of serviceSchemas) {
      const all = await tablesOf(this.client, service);
      byService.set(service, tenant ? all.filter(isOfTenants) : all);
    }
    return byService;
  }

  private async header(
    tenant: ArchivedTenant | undefined,
    tables: ReadonlyMap<string, ArchivedTable[]>,
  ): Promise<BackupHeader> {
    const keyIds = new Set<string>();
    const services: BackupHeader['services'] = {};
    for (const { service } of serviceSchemas) {
      const kept: BackupHeader['services'][string]['tables'] = {};
      for (const table of tables.get(service) ?? []) {
        for (const id of await sealingKeysOf(this.client, table, tenant?.id)) keyIds.add(id);
        const { columns, partitions } = table;
        kept[table.name] = { columns, partitions, sequences: await lastNumbers(this.client, table) };
      }
      await this.client.query('reset role');
      services[service] = { migrations: await migrationsOf(this.client, service), tables: kept };
    }
    const all = await this.client.query<ArchivedTenant>('select id, name from control_plane.tenant order by id');
    return {
      format: FORMAT,
      release: this.source.release,
      createdAt: new Date().toISOString(),
      tenant: tenant ?? null,
      tenants: tenant ? [tenant] : all.rows,
      keyIds: [...keyIds].sort(),
      services,
    };
  }

  private async addRows(tables: readonly ArchivedTable[], tenantId: number | undefined): Promise<void> {
    for (const table of tables) {
      const write = async (target: Writable): Promise<number> => {
        const gzip = createGzip();
        const [count] = await Promise.all([writeRows(this.client, table, tenantId, gzip), pipeline(gzip, target)]);
        return count;
      };
      this.rows += await this.writer.add(rowsEntry(table.schema, table.name), write);
    }
  }

  private async addRepositories({ repositories, missing }: Snapshot): Promise<void> {
    for (const id of missing) await this.noteRemoved(id);
    for (const repository of repositories) {
      if (existsSync(this.pathOf(repository.id))) await this.addRepository(repository);
      else await this.noteRemoved(repository.id);
    }
  }

  /** Git packs, and removes what it has packed, while the platform runs: then an attempt fails, and another succeeds. */
  private async addRepository(repository: KeptRepository): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.packOnce(repository);
      } catch (error) {
        if (!existsSync(this.pathOf(repository.id))) return this.noteRemoved(repository.id);
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async packOnce({ id, references }: KeptRepository): Promise<void> {
    const { head, refs } = references;
    const pack = (target: Writable) => packEverything(this.pathOf(id), target, refs.values());
    const { missing } = await this.writer.add(packEntry(id), pack);
    const left = [...refs].filter(([name, oid]) => !missing.has(oid) || void this.removed.push(`${name} of ${id}`));
    await this.writer.addText(refsEntry(id), writeReferences({ head, refs: new Map(left) }));
    this.repositories += 1;
    failpoint('backup.after-repository');
  }

  private async noteRemoved(id: string): Promise<void> {
    await requireRemoved(this.source.url, this.source.storageRoot, id);
    this.removed.push(id);
  }

  private pathOf(id: string): string {
    return repositoryPath(this.source.storageRoot, id);
  }
}
