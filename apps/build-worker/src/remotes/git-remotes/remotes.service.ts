import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { RemoteTransport, upstreamRef } from '@plinth/git';
import { BranchesRepository, type DataModel, RepositoriesService } from '../../data-models';
import { BranchPush } from './branch-push';
import { BranchSync } from './branch-sync';
import type { GitRemote, RemoteConnection } from './git-remote.entity';
import { GitRemotesRepository } from './git-remotes.repository';
import { RemoteAccesses } from './remote-access';
import { textOf } from './remote-errors';
import { RemoteMetrics } from './remote-metrics';
import { RemoteTasksRepository, type ClaimedTask } from './remote-tasks.repository';

/** Keeps data models and their remote repositories in step. Everything here may be repeated. */
@Injectable()
export class RemotesService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly repositories: RepositoriesService,
    private readonly branches: BranchesRepository,
    private readonly remotes: GitRemotesRepository,
    private readonly tasks: RemoteTasksRepository,
    private readonly accesses: RemoteAccesses,
    private readonly transport: RemoteTransport,
    private readonly branchSync: BranchSync,
    private readonly branchPush: BranchPush,
    private readonly metrics: RemoteMetrics,
  ) {}

  /** Has the deployment synchronised soon by some worker, even if this process dies now. */
  async requestSync(tenantId: number, deploymentId: number): Promise<void> {
    await this.database.transaction(tenantId, (tx) => this.tasks.requestSync(tx, deploymentId));
  }

  /** The connections of all tenants through one installation of the GitHub App. */
  connectionsOf(installationId: number): Promise<RemoteConnection[]> {
    return this.database.asSystem(async (tx) =>
      (await this.remotes.listOfInstallation(tx, installationId)).filter(isConnected),
    );
  }

  /** Does what a task says. @throws what keeps it from being done */
  async carryOut(task: ClaimedTask, signal?: AbortSignal): Promise<void> {
    const { tenantId, deploymentId, branchName, kind } = task;
    const remote = await this.database.transaction(tenantId, (tx) => this.remotes.findConnected(tx, deploymentId));
    if (!remote || !isConnected(remote)) return;
    await this.metrics.observe(kind, async () => {
      if (kind === 'sync') return this.sync(remote, signal);
      const model = await this.repositories.openExisting(tenantId, deploymentId);
      return this.branchPush[kind](model, await this.accesses.accessOf(remote), branchName, signal);
    });
  }

  /** Follows the remote repository on every shared branch that exists here, whatever other branches it has. */
  private async sync(remote: RemoteConnection, signal?: AbortSignal): Promise<void> {
    const { tenantId, deploymentId } = remote;
    const record = (error: string | null) =>
      this.database.transaction(tenantId, (tx) => this.remotes.recordSync(tx, deploymentId, error));
    try {
      const model = await this.repositories.openExisting(tenantId, deploymentId);
      await record(await this.followAll(model, remote, signal));
    } catch (error) {
      await record(textOf(error) ?? 'The synchronisation failed and will be repeated');
      throw error;
    }
  }

  /** What could not be followed, one sentence a branch; null when everything was. */
  private async followAll(model: DataModel, remote: RemoteConnection, signal?: AbortSignal): Promise<string | null> {
    const { tenantId, deploymentId } = remote;
    const access = await this.accesses.accessOf(remote);
    const all = await this.database.transaction(tenantId, (tx) => this.branches.list(tx, deploymentId));
    const shared = all.filter(({ kind }) => kind !== 'dev');
    const known = await Promise.all(shared.map(({ name }) => model.git.resolveRef(upstreamRef(name))));
    const upstream = await this.transport.list(model.git, access, signal);
    const heads = new Map(upstream.branches.map(({ name, head }) => [name, head]));
    const problems: string[] = [];
    for (const [index, branch] of shared.entries()) {
      try {
        const state = { head: heads.get(branch.name) ?? null, known: known[index] ?? null };
        await this.branchSync.follow(model, access, branch, state, signal);
      } catch (error) {
        const text = textOf(error);
        if (text === undefined) throw error;
        problems.push(`${branch.name}: ${text.replace(/\.?$/, '.')}`);
      }
    }
    return problems.length > 0 ? problems.join(' ') : null;
  }
}

export function isConnected(remote: GitRemote): remote is GitRemote & RemoteConnection {
  return remote.connectedAt !== null && remote.url !== null;
}
