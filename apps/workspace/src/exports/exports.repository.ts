import { randomUUID } from 'node:crypto';
import { advisoryLockId, TaskRepository, type NamedStatement, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { identityOf, type Picture } from '../pictures';
import type { ClaimedExport, ExportOrder, ExportRow } from './export-job';

/** Minutes that a job and its file are there. */
const LIFETIME_MINUTES = 5;
const MOST_ATTEMPTS = 3;
const MOST_IN_FLIGHT = 3;
const CHUNK_BYTES = 2 ** 20;
/** Jobs that are removed in one transaction. */
const REMOVED_AT_ONCE = 100;

const OPEN = `status in ('pending', 'processing')`;

/** Exports and their files. What has expired is there for nobody, and is removed whenever somebody looks for work. */
export class ExportsRepository extends TaskRepository<ClaimedExport, Picture> {
  constructor() {
    super({
      table: 'dashboard_export',
      key: ['id'],
      columns: {
        id: 'id',
        deployment_id: 'deploymentId',
        dashboard_id: 'dashboardId',
        subject: 'subject',
        controls: 'controls',
        format: 'format',
        created_at: 'createdAt',
      },
      leaseSeconds: 10,
      isScheduled: false,
      open: OPEN,
      ready: 'candidate.expires_at > now()',
      order: 'candidate.created_at',
    });
  }

  /**
   * Undefined when the dashboard is gone.
   *
   * @throws AppError `export.too_many` (429)
   */
  async insert(tx: Transaction, order: ExportOrder): Promise<{ id: string; expiresAt: Date } | undefined> {
    const { tenantId, deploymentId, dashboardId, submittedBy, subject, controls, format } = order;
    const identity = identityOf(subject);
    await this.requireRoom(tx, tenantId, identity);
    const [row] = await this.managerFor(tx).query<{ id: string; expiresAt: Date }[]>(
      `insert into dashboard_export
         (id, tenant_id, deployment_id, dashboard_id, submitted_by, identity, subject, controls, format, expires_at)
       select $1, tenant_id, deployment_id, id, $4, $5, $6, $7, $8, now() + make_interval(mins => $9)
       from dashboard where id = $2 and deployment_id = $3 for key share
       returning id, expires_at as "expiresAt"`,
      [
        ...[randomUUID(), dashboardId, deploymentId, submittedBy, identity],
        ...[JSON.stringify(subject), JSON.stringify(controls), format, LIFETIME_MINUTES],
      ],
    );
    if (row) this.added(tx);
    return row;
  }

  /** Those who start exports of one identity take turns until their transactions end, so that they count each other. */
  private async requireRoom(tx: Transaction, tenantId: number, identity: string): Promise<void> {
    const lockId = advisoryLockId('dashboard-export', tenantId, identity);
    await this.managerFor(tx).query('select pg_advisory_xact_lock($1)', [lockId]);
    const [{ inFlight }] = await this.managerFor(tx).query<[{ inFlight: number }]>(
      `select count(*)::integer as "inFlight" from dashboard_export
       where tenant_id = $1 and identity = $2 and ${OPEN} and expires_at > now()`,
      [tenantId, identity],
    );
    if (inFlight < MOST_IN_FLIGHT) return;
    const message = `At most ${MOST_IN_FLIGHT} exports of one identity are under way at a time`;
    throw new AppError('export.too_many', message, { retryAfterSeconds: 5 });
  }

  async findOf(
    tx: Transaction,
    { deploymentId, submittedBy, id }: Pick<ExportOrder, 'deploymentId' | 'submittedBy'> & { id: string },
  ): Promise<ExportRow | undefined> {
    const [row] = await this.managerFor(tx).query<ExportRow[]>(
      `select id, format, status, progress, error_text as "errorText", chunks from dashboard_export
       where id = $1 and deployment_id = $2 and submitted_by = $3 and expires_at > now()`,
      [id, deploymentId, submittedBy],
    );
    return row;
  }

  /** Takes an export that is to be drawn. */
  claimNext(tx: Transaction, exceptTenants: readonly number[]): Promise<ClaimedExport | undefined> {
    return this.claim(tx, exceptTenants, { set: `status = 'processing'`, values: [] });
  }

  /** Those whose time is over, with their files, and those whose processes keep dying. */
  async tidy(tx: Transaction): Promise<void> {
    const manager = this.managerFor(tx);
    await manager.query(
      `delete from dashboard_export where id = any(array(
         select id from dashboard_export where expires_at <= now() limit $1 for update skip locked))`,
      [REMOVED_AT_ONCE],
    );
    await manager.query(
      `update dashboard_export set status = 'failed', error_text = $1, claim_id = null, lease_expires_at = null
       where ${OPEN} and lease_expires_at < now() and attempts >= $2`,
      [COULD_NOT, MOST_ATTEMPTS],
    );
  }

  /** Notes how much is done, in percent; a second attempt takes nothing back. */
  progress(tx: Transaction, job: ClaimedExport, percent: number): Promise<boolean> {
    return this.whileClaimed(tx, job, { set: 'progress = greatest(progress, $1)', values: [percent] });
  }

  async finish(tx: Transaction, job: ClaimedExport, { bytes }: Picture): Promise<boolean> {
    const chunks = Math.ceil(bytes.length / CHUNK_BYTES);
    const set = `status = 'completed', progress = 100, chunks = $1`;
    if (!(await this.giveUp(tx, job, { set, values: [chunks] }))) return false;
    for (let position = 0; position < chunks; position += 1) {
      const chunk = bytes.subarray(position * CHUNK_BYTES, (position + 1) * CHUNK_BYTES);
      await this.managerFor(tx).query(
        'insert into dashboard_export_chunk (export_id, tenant_id, position, bytes) values ($1, $2, $3, $4)',
        [job.id, job.tenantId, position, chunk],
      );
    }
    return true;
  }

  /** What was refused is refused again. For anything else the claim runs out, and another process tries. */
  async fail(tx: Transaction, job: ClaimedExport, error: unknown): Promise<boolean> {
    const refusal = error instanceof AppError && !error.isFailure ? error.message : undefined;
    if (refusal === undefined && job.attempts < MOST_ATTEMPTS) return true;
    return this.giveUp(tx, job, { set: `status = 'failed', error_text = $1`, values: [refusal ?? COULD_NOT] });
  }

  override release(tx: Transaction, job: ClaimedExport): Promise<boolean> {
    return super.release(tx, job, { set: `status = 'pending'`, values: [] });
  }
}

const COULD_NOT = 'The dashboard could not be drawn';

/** Part of a file, by the id of its export and its position; the tenant's alone. */
export const chunkOf: NamedStatement = {
  name: 'export-chunk',
  text: 'select bytes from dashboard_export_chunk where export_id = $1 and position = $2',
};
