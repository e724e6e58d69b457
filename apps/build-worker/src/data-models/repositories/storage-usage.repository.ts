import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import type { KeptObjects } from '@plinth/git';

/** What the repositories of a tenant take, in bytes. */
export interface StorageUsage {
  tenantBytes: number;
  deploymentBytes: number;
  /** When the repository of the deployment was last measured, as PostgreSQL writes it; null before the first time. */
  measuredAt: string | null;
  /** Whether that is longer ago than a minute, so that nothing should be refused because of it. */
  stale: boolean;
  /** Whether that is so long ago, an hour, that it is time for another one. */
  due: boolean;
}

/** Bytes; null for no limit. */
export interface StorageLimits {
  tenantBytes: number | null;
  deploymentBytes: number | null;
}

export interface RepositoryKey {
  tenantId: number;
  deploymentId: number;
}

const USAGE = `coalesce(sum(stored_bytes), 0)::float8 as "tenantBytes",
  coalesce(sum(stored_bytes) filter (where deployment_id = $1), 0)::float8 as "deploymentBytes",
  (max(measured_at) filter (where deployment_id = $1))::text as "measuredAt",
  coalesce(max(measured_at) filter (where deployment_id = $1) < now() - interval '1 minute', true) as stale,
  coalesce(max(measured_at) filter (where deployment_id = $1) < now() - interval '1 hour', true) as due`;

const NOTHING: StorageUsage = { tenantBytes: 0, deploymentBytes: 0, measuredAt: null, stale: true, due: true };

/** Bytes on disk by repository. A repository that nobody has recorded yet takes nothing. */
export class StorageUsageRepository extends BaseRepository {
  async of(database: Database, { tenantId, deploymentId }: RepositoryKey): Promise<StorageUsage> {
    const text = `select ${USAGE} from repository_storage where tenant_id = $2`;
    const [usage] = await database.read<StorageUsage>(tenantId, { name: 'storage-usage', text }, [
      deploymentId,
      tenantId,
    ]);
    return usage ?? NOTHING;
  }

  /**
   * Adds bytes unless that leads beyond a limit. Those of one tenant wait for each other at its rows, so no two of them
   * take the same room.
   *
   * @returns whether they were added, and the usage before
   */
  async charge(
    database: Database,
    { tenantId, deploymentId }: RepositoryKey,
    bytes: number,
    limits: StorageLimits,
  ): Promise<StorageUsage & { refused: boolean }> {
    const text = `
      with held as materialized (
        select deployment_id, stored_bytes, measured_at from repository_storage
        where tenant_id = $2 order by deployment_id for no key update
      ), usage as materialized (
        select ${USAGE} from held
      ), verdict as materialized (
        select *, coalesce("tenantBytes" + $3::bigint > $4::float8, false)
          or coalesce("deploymentBytes" + $3::bigint > $5::float8, false) as refused
        from usage
      ), charged as (
        update repository_storage as storage set stored_bytes = storage.stored_bytes + $3::bigint
        from verdict where storage.deployment_id = $1 and not refused
      )
      select * from verdict`;
    const [verdict] = await database.run<StorageUsage & { refused: boolean }>(
      tenantId,
      { name: 'charge-storage', text },
      [deploymentId, tenantId, bytes, limits.tenantBytes, limits.deploymentBytes],
    );
    return verdict ?? { ...NOTHING, refused: false };
  }

  /**
   * Records the bytes that were measured after `before` was read, unless another measurement came in between. What was
   * charged since, which the measurement may have missed, is added.
   */
  async record(
    database: Database,
    { tenantId, deploymentId }: RepositoryKey,
    bytes: number,
    before: StorageUsage,
  ): Promise<void> {
    const text = `
      update repository_storage
      set measured_at = clock_timestamp(), stored_bytes = $2::bigint + greatest(0, stored_bytes - $3::bigint)
      where deployment_id = $1 and measured_at is not distinct from $4::timestamptz`;
    const values = [deploymentId, bytes, before.deploymentBytes, before.measuredAt];
    await database.run(tenantId, { name: 'record-storage', text }, values);
  }

  /** Remembers that objects were stored which may never be referred to. */
  async uploaded(tx: Transaction, deploymentId: number): Promise<void> {
    const statement = 'update repository_storage set last_upload_at = now() where deployment_id = $1';
    await this.managerFor(tx).query(statement, [deploymentId]);
  }

  /**
   * Claims a repository that received uploads which were too young to be dropped when it was last collected, `ageMs` ago
   * or longer; undefined when there is none.
   */
  async claimCollection(tx: Transaction, ageMs: number): Promise<RepositoryKey | undefined> {
    const [rows] = (await this.managerFor(tx).query(
      `update repository_storage set collected_at = now() where deployment_id = (
         select deployment_id from repository_storage
         where last_upload_at is not null and collected_at < now() - $1 * interval '1 millisecond'
           and collected_at < last_upload_at + $1 * interval '1 millisecond'
         order by collected_at limit 1 for no key update skip locked
       ) returning tenant_id as "tenantId", deployment_id as "deploymentId"`,
      [ageMs],
    )) as [RepositoryKey[], number];
    return rows[0];
  }

  /** What rows of a deployment name, whatever its branches hold. */
  async keptObjects(tx: Transaction, deploymentId: number): Promise<KeptObjects> {
    const manager = this.managerFor(tx);
    const commits = (await manager.query(
      `select start_commit as oid from branch where deployment_id = $1
       union select last_upload_commit from repository where deployment_id = $1 and last_upload_commit is not null
       union select base_commit from upload where deployment_id = $1 and expires_at > now()
       union select commit_hash from build where deployment_id = $1 and status in ('queued', 'building')
       union (select distinct on (branch_name) commit_hash from build
              where deployment_id = $1 and status = 'built' order by branch_name, id desc)`,
      [deploymentId],
    )) as { oid: string }[];
    const blobs = (await manager.query(
      `select distinct oid from upload_file join upload on upload.id = upload_file.upload_id
       where deployment_id = $1 and expires_at > now()`,
      [deploymentId],
    )) as { oid: string }[];
    return { commits: commits.map(({ oid }) => oid), blobs: blobs.map(({ oid }) => oid) };
  }
}
