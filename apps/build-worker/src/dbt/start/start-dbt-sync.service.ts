import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { ByteStream } from '@plinth/messaging';
import { BranchesRepository, requireSharedName, StorageUsageRepository } from '../../data-models';
import { DataModelsService } from '../../provisioning';
import type { DbtSource } from '../sources/dbt-source.entity';
import { DbtSourcesRepository } from '../sources/dbt-sources.repository';
import { notConnected } from '../sources/dbt-sources.service';
import type { DbtSync } from '../syncs/dbt-sync.entity';
import { DbtSyncsRepository } from '../syncs/dbt-syncs.repository';
import { syncBranchName } from './branch-name';
import { ManifestStore } from './manifest-store';
import { readSyncRequest, type SyncRequest } from './sync-request';

type Started = ReplyOf<'startDbtSync'>;

/** Who or what starts a run. */
export type StartedBy = Pick<DbtSync, 'trigger' | 'triggerContext'>;

/** Begins runs: what can be refused is refused here, everything else happens in the background. */
@Injectable()
export class StartDbtSyncService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly models: DataModelsService,
    private readonly manifests: ManifestStore,
    private readonly sources: DbtSourcesRepository,
    private readonly syncs: DbtSyncsRepository,
    private readonly branches: BranchesRepository,
    private readonly storage: StorageUsageRepository,
  ) {}

  /** @throws AppError of the request (400), `dbt_source.not_connected`, `dbt_sync.running`, `branch.exists` (409) */
  async start(principal: Principal, deploymentId: number, body: ByteStream | undefined): Promise<Started> {
    const model = await this.models.open(principal.tenantId, deploymentId);
    const request = await readSyncRequest(deploymentId, body, (manifest) => this.manifests.keep(model, manifest));
    if (request.branchName !== null) requireSharedName(request.branchName);
    if (request.manifest !== null) await this.manifests.require(model, request.manifest);
    return this.database.mutate(principal, (tx) =>
      this.add(tx, principal, deploymentId, request, { trigger: 'api', triggerContext: null }),
    );
  }

  /** Adds a run as part of a transaction. */
  async add(
    tx: Transaction,
    { tenantId, userId, userName, email }: Pick<Principal, 'tenantId' | 'userId' | 'userName' | 'email'>,
    deploymentId: number,
    { source, output, ref, branchName: wanted, manifest }: SyncRequest,
    by: StartedBy,
  ): Promise<Started> {
    const connected = await this.sources.find(tx, deploymentId);
    if (source === 'git' && !connected) throw notConnected();
    if (wanted !== null && (await this.branches.findByName(tx, deploymentId, wanted))) {
      throw new AppError('branch.exists', `A branch ${wanted} exists already`);
    }
    const branchName = wanted ?? syncBranchName(ref ?? followedBy(source, connected));
    if (manifest !== null) await this.storage.uploaded(tx, deploymentId);
    const syncJobId = await this.syncs.insert(tx, {
      ...{ tenantId, deploymentId, source, output, branchName, userId, ...by },
      ...{ gitRef: ref, manifestOid: manifest, authorName: userName, authorEmail: email ?? '' },
    });
    return { syncJobId, workflowId: syncJobId, branchName };
  }
}

/** What a new branch is named for when nothing is asked for. */
const followedBy = (source: SyncRequest['source'], connected: DbtSource | null): string =>
  (source === 'git' ? connected?.settings.branch : null) ?? source;
