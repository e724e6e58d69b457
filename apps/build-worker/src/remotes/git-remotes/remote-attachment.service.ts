import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import {
  RemoteTransport,
  branchRef,
  isValidBranchName,
  upstreamRef,
  type ObjectId,
  type RemoteAccess,
} from '@plinth/git';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { DataModelsService, ProvisioningService } from '../../provisioning';
import {
  BranchesRepository,
  BranchRefs,
  type BranchWrite,
  type DataModel,
  DEV_PREFIX,
  requestedRoot,
} from '../../data-models';
import { connectedRemote } from './connected-remote';
import type { RemoteConnection } from './git-remote.entity';
import { GitRemotesRepository } from './git-remotes.repository';
import { RemoteAccesses } from './remote-access';
import { requireDataModel, requireUsableFiles } from './remote-content';
import { RemoteFetches } from './remote-fetches';
import { toRemoteAppError } from './remote-errors';
import { RemoteMetrics } from './remote-metrics';

/** A repository to connect a deployment to. */
export interface Attachment extends Pick<RemoteConnection, 'kind' | 'url' | 'installationId'> {
  /** The remote's default branch when absent or blank. */
  deployBranchName?: string | null | undefined;
  /** The root of the repository when absent or blank. */
  deployProjectRoot?: string | null | undefined;
}

interface Project {
  branch: string;
  root: string;
}

/** Connects deployments with remote repositories, and ends that. */
@Injectable()
export class RemoteAttachmentService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly models: DataModelsService,
    private readonly provisioning: ProvisioningService,
    private readonly branches: BranchesRepository,
    private readonly refs: BranchRefs,
    private readonly remotes: GitRemotesRepository,
    private readonly accesses: RemoteAccesses,
    private readonly transport: RemoteTransport,
    private readonly fetches: RemoteFetches,
    private readonly metrics: RemoteMetrics,
  ) {}

  /**
   * Fetches the branch, checks that it holds a data model, makes it the deploy branch and queues its first build. What
   * the deploy branch held before stays in the repository under `refs/plinth/replaced/`.
   *
   * @throws AppError `remote.*` (400), after which nothing has changed
   */
  attach(principal: Principal, deploymentId: number, attachment: Attachment): Promise<void> {
    const { kind, url, installationId } = attachment;
    const connection = { tenantId: principal.tenantId, deploymentId, kind, url, installationId };
    return this.metrics.observe('attach', async () => {
      const model = await this.models.open(principal.tenantId, deploymentId);
      const project = await this.fetchProject(model, connection, attachment);
      await this.configure(principal, model, project);
      await this.replaceDeployBranch(principal, connection, project);
    });
  }

  /** The data model stays as it is. @throws AppError `remote.not_connected` (404) */
  async detach(principal: Principal, deploymentId: number): Promise<void> {
    await this.database.mutate(principal, async (tx) => {
      if (!(await this.remotes.findConnected(tx, deploymentId))) {
        throw new AppError('remote.not_connected', 'The deployment is not connected to a remote repository');
      }
      await this.remotes.disconnect(tx, deploymentId);
    });
  }

  private async fetchProject(
    model: DataModel,
    connection: RemoteConnection,
    { deployBranchName, deployProjectRoot }: Attachment,
  ): Promise<Project> {
    const root = requestedRoot(deployProjectRoot ?? '');
    try {
      const access = await this.accesses.accessOf(connection);
      const branch = deployBranchName?.trim() || (await this.defaultBranch(model, access));
      if (!isValidBranchName(branch) || branch.startsWith(DEV_PREFIX)) throw noSuchBranch(branch);
      await this.fetches.fetch(model, access, {
        branches: [branch],
        accept: async (incoming, heads) => {
          const head = heads.get(branch) ?? '';
          await requireUsableFiles(incoming, head, root);
          await requireDataModel(incoming, head, root);
        },
      });
      return { branch, root };
    } catch (error) {
      throw toRemoteAppError(error);
    }
  }

  private async defaultBranch(model: DataModel, access: RemoteAccess): Promise<string> {
    const { defaultBranch } = await this.transport.list(model.git, access);
    if (defaultBranch) return defaultBranch;
    throw new AppError('remote.branch_not_found', 'The remote repository is empty');
  }

  /** The control plane keeps a deployment's settings; this worker takes them from there. */
  private async configure(principal: Principal, { settings }: DataModel, { branch, root }: Project): Promise<void> {
    const { tenantId, deploymentId, deployBranchName, deployProjectRoot } = settings;
    if (deployBranchName === branch && deployProjectRoot === root) return;
    await this.bus.call('updateDeployment', {
      principal,
      path: { deploymentId },
      query: {},
      body: { deployBranchName: branch, deployProjectRoot: root },
    });
    await this.provisioning.provision(tenantId, deploymentId);
  }

  private async replaceDeployBranch(
    principal: Principal,
    connection: RemoteConnection,
    { branch: name }: Project,
  ): Promise<void> {
    await this.models.write(principal, connection.deploymentId, async (model): Promise<BranchWrite<undefined>> => {
      const { tenantId, deploymentId } = connection;
      const branch = await this.database.transaction(tenantId, (tx) =>
        this.branches.findDeployBranch(tx, deploymentId),
      );
      const theirs = await model.git.resolveRef(upstreamRef(name));
      if (branch?.name !== name || theirs === null) throw noSuchBranch(name);
      const ours = await this.refs.headOf(model, branch);
      await keep(model, ours, theirs);
      const treeHash = await model.git.treeOf(theirs);
      return {
        updates: ours === theirs ? [] : [{ ref: branchRef(name), oldOid: ours, newOid: theirs }],
        effects: {
          ...connectedRemote.of(connection),
          build: { tenantId, deploymentId, branchName: name, commitHash: theirs, treeHash },
        },
        reply: undefined,
      };
    });
  }
}

/** A reference nobody sees keeps what would otherwise be lost with the branch's former commits. */
async function keep({ git }: DataModel, ours: ObjectId, theirs: ObjectId): Promise<void> {
  if (await git.isAncestor(ours, theirs)) return;
  const ref = `refs/plinth/replaced/${ours}`;
  if ((await git.resolveRef(ref)) === null) await git.updateRefs([{ ref, oldOid: null, newOid: ours }]);
}

const noSuchBranch = (name: string): AppError =>
  new AppError('remote.branch_not_found', `The remote repository has no branch ${name}`);
