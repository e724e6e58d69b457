import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, inMemoryList, keysetList, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { DataModelsService } from '../../provisioning';
import { toEntry, toResult, toRun, toStatus } from './contract-syncs';
import { DbtSyncLogsRepository } from './dbt-sync-logs.repository';
import type { DbtSync } from './dbt-sync.entity';
import { DbtSyncsRepository } from './dbt-syncs.repository';

/** Heard by workers that are busy with the run. */
export const CANCELLED = 'build-worker.dbt-sync.cancelled';

const HISTORY_PAGE = { defaultFirst: 100, maxFirst: 100 };
const FILES_PAGE = { defaultFirst: 100, maxFirst: 200 };
/** Repositories keep what nothing refers to for longer. */
const FILES_FOR_MS = 3_600_000;

/** Tells of runs, and ends them. */
@Injectable()
export class DbtSyncsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly models: DataModelsService,
    private readonly syncs: DbtSyncsRepository,
    private readonly logs: DbtSyncLogsRepository,
  ) {}

  async list(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'listDbtSyncs'>,
  ): Promise<ReplyOf<'listDbtSyncs'>> {
    await this.models.open(principal.tenantId, deploymentId);
    const filter = { status: query.status ?? undefined, trigger: query.trigger ?? undefined };
    const { items, pageInfo } = await keysetList(
      query,
      {
        name: 'dbt syncs',
        filters: { deploymentId, ...filter },
        positionOf: byId,
        read: (limit, [beforeId]) =>
          this.database.transaction(principal.tenantId, (tx) =>
            this.syncs.list(tx, deploymentId, filter, limit, beforeId),
          ),
      },
      HISTORY_PAGE,
    );
    return { items: items.map(toRun), pageInfo };
  }

  async status(principal: Principal, deploymentId: number, jobId: string): Promise<ReplyOf<'getDbtSyncStatus'>> {
    return toStatus(await this.find(principal, deploymentId, jobId));
  }

  async result(principal: Principal, deploymentId: number, jobId: string): Promise<ReplyOf<'getDbtSyncResult'>> {
    const result = toResult(await this.find(principal, deploymentId, jobId));
    if (result) return result;
    throw new AppError('dbt_sync.no_result', 'The dbt sync has no result: it is not completed');
  }

  /** On one page, as clients of the history of a run expect it. */
  async log(principal: Principal, deploymentId: number, jobId: string): Promise<ReplyOf<'getDbtSyncLogs'>> {
    const sync = await this.find(principal, deploymentId, jobId);
    const lines = await this.database.transaction(principal.tenantId, (tx) => this.logs.list(tx, sync.id));
    const pageInfo = { endCursor: null, startCursor: null, hasNextPage: false, hasPreviousPage: false };
    return { items: lines.map(toEntry), pageInfo };
  }

  async files(
    principal: Principal,
    deploymentId: number,
    jobId: string,
    query: QueryOf<'getDbtSyncGeneratedFiles'>,
  ): Promise<ReplyOf<'getDbtSyncGeneratedFiles'>> {
    const sync = await this.find(principal, deploymentId, jobId);
    const commit = keptCommit(sync);
    const { git, settings } = await this.models.open(principal.tenantId, deploymentId);
    const paths = (sync.result?.paths ?? []).map((path) => ({ path }));
    const filters = { deploymentId, jobId };
    const list = inMemoryList(paths, { name: 'generated files', filters, positionOf: ({ path }) => [path] });
    const { first, after } = query;
    const page = { ...(first && { first }), ...(after && { after }) };
    const { items, pageInfo } = await keysetList(page, list, FILES_PAGE);
    const root = settings.deployProjectRoot === '' ? '' : `${settings.deployProjectRoot}/`;
    const files = items.map(async ({ path }) => ({
      path,
      content: (await git.fileAt(commit, root + path)).toString(),
    }));
    return { items: await Promise.all(files), pageInfo };
  }

  async cancel(principal: Principal, deploymentId: number, jobId: string): Promise<ReplyOf<'cancelDbtSync'>> {
    requireId(jobId);
    await this.models.open(principal.tenantId, deploymentId);
    return this.database.mutate(principal, async (tx) => {
      const sync = await this.required(tx, deploymentId, jobId);
      if (!(await this.syncs.cancel(tx, sync.id))) {
        throw new AppError('dbt_sync.not_running', 'The dbt sync has ended already');
      }
      const line = { level: 'info', stream: 'system', phase: null, durationMs: null } as const;
      await this.logs.append(tx, sync, [{ ...line, message: 'The dbt sync was cancelled' }]);
      tx.onCommit(() => this.bus.publish({ topic: CANCELLED, payload: {} }));
      return { message: 'The dbt sync was cancelled' };
    });
  }

  private async find(principal: Principal, deploymentId: number, jobId: string): Promise<DbtSync> {
    requireId(jobId);
    await this.models.open(principal.tenantId, deploymentId);
    return this.database.transaction(principal.tenantId, (tx) => this.required(tx, deploymentId, jobId));
  }

  private async required(tx: Transaction, deploymentId: number, jobId: string): Promise<DbtSync> {
    const sync = await this.syncs.find(tx, deploymentId, jobId);
    if (!sync) throw unknownSync();
    return sync;
  }
}

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const unknownSync = (): AppError => new AppError('dbt_sync.not_found', 'There is no such dbt sync');

function requireId(jobId: string): void {
  if (!UUID.test(jobId)) throw unknownSync();
}

/** @throws AppError `dbt_sync.no_files` (404) */
function keptCommit({ status, output, branchName, commitHash, finishedAt }: DbtSync): string {
  if (status !== 'COMPLETED' || commitHash === null || finishedAt === null) {
    throw new AppError('dbt_sync.no_files', 'The dbt sync has no files: it is not completed');
  }
  if (output === 'branch') {
    throw new AppError('dbt_sync.no_files', `The files of this dbt sync are on the branch ${branchName}`);
  }
  if (Date.now() - finishedAt.getTime() > FILES_FOR_MS) {
    throw new AppError('dbt_sync.no_files', 'The files of a dbt sync are kept for an hour');
  }
  return commitHash;
}
