import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { RemoteTransport, RepositoryStore } from '@plinth/git';
import { CONFIG, SANDBOXES, type Sandboxes } from '@plinth/host';
import { Sandbox } from '@plinth/sandbox';
import { BranchForks } from './branches/branch-forks';
import { BranchListController } from './branches/branch-list.controller';
import { BranchListService } from './branches/branch-list.service';
import { BranchRefs } from './branches/branch-refs';
import { BranchRemoval } from './branches/branch-removal';
import { BranchResolution } from './branches/branch-resolution';
import { BranchesController } from './branches/branches.controller';
import { BranchesRepository } from './branches/branches.repository';
import { BranchesService } from './branches/branches.service';
import { DeployBranches } from './branches/deploy-branches';
import { StagingService } from './branches/staging.service';
import type { BuildWorkerConfig } from './build-worker.config';
import { BuildMetrics } from './builds/build-metrics';
import { BuildQueue } from './builds/build-queue';
import { BuildRunner } from './builds/build-runner';
import { BuildStatusController } from './builds/build-status.controller';
import { BuildStatusService } from './builds/build-status.service';
import { BuildsRepository } from './builds/builds.repository';
import { findChildEntry } from './compiler/child-entry';
import { CompileCache } from './compiler/compile-cache';
import { ModelCompiler } from './compiler/model-compiler';
import { DevModeController } from './dev-mode/dev-mode.controller';
import { DevModeService } from './dev-mode/dev-mode.service';
import { DevSessionsRepository } from './dev-mode/dev-sessions.repository';
import { EventsController } from './events/events.controller';
import { EventsService } from './events/events.service';
import { FileListService } from './files/file-list.service';
import { FilesController } from './files/files.controller';
import { FilesService } from './files/files.service';
import { GithubController } from './github/github.controller';
import { GithubApp } from './github/github-app';
import { GithubCatalogueService } from './github/github-catalogue.service';
import { GithubConnectService } from './github/github-connect.service';
import { GithubConnectionController } from './github/github-connection.controller';
import { GithubDeliveriesRepository } from './github/github-deliveries.repository';
import { GithubInstallationsRepository } from './github/github-installations.repository';
import { GithubLinkService } from './github/github-link.service';
import { GithubRemoteCredentials } from './github/github-remote-credentials';
import { GithubRepositoryFactory } from './github/github-repository.factory';
import { GithubWebhookService } from './github/github-webhook.service';
import { LinkSeals } from './github/link-seals';
import { EffectApplier } from './journal/effect-applier';
import { JournalService } from './journal/journal.service';
import { WriteMetrics } from './journal/write-metrics';
import { WriteTurns } from './journal/write-turns';
import { CommitService } from './merges/commit.service';
import { MergeService } from './merges/merge.service';
import { MergesController } from './merges/merges.controller';
import { PullService } from './merges/pull.service';
import { BranchPush } from './remotes/branch-push';
import { BranchSync } from './remotes/branch-sync';
import { GitRemotesController } from './remotes/git-remotes.controller';
import { GitRemotesRepository } from './remotes/git-remotes.repository';
import { GitRemotesService } from './remotes/git-remotes.service';
import { RemoteAccesses } from './remotes/remote-access';
import { RemoteAttachmentService } from './remotes/remote-attachment.service';
import { RemoteFetches } from './remotes/remote-fetches';
import { RemoteMetrics } from './remotes/remote-metrics';
import { RemoteTaskRunner } from './remotes/remote-task-runner';
import { RemoteTasksRepository } from './remotes/remote-tasks.repository';
import { RemotesService } from './remotes/remotes.service';
import { SshRemoteCredentials } from './remotes/ssh-remote-credentials';
import { ProvisioningService } from './repositories/provisioning.service';
import { RepositoriesRepository } from './repositories/repositories.repository';
import { RepositoriesService } from './repositories/repositories.service';
import { RepositoryUpkeep } from './repositories/repository-upkeep';
import { StorageCollection } from './repositories/storage-collection';
import { StorageQuota } from './repositories/storage-quota';
import { StorageUsageRepository } from './repositories/storage-usage.repository';
import { CompileResultsRepository } from './validation/compile-results.repository';
import { UploadFinishService } from './uploads/upload-finish.service';
import { UploadsController } from './uploads/uploads.controller';
import { UploadsRepository } from './uploads/uploads.repository';
import { UploadsService } from './uploads/uploads.service';
import { DataModelCompiler } from './validation/data-model-compiler';
import { SharedCompileResults } from './validation/shared-compile-results';
import { ValidationController } from './validation/validation.controller';
import { ValidationService } from './validation/validation.service';

const repositories = [
  RepositoriesRepository,
  RepositoriesService,
  ProvisioningService,
  RepositoryUpkeep,
  StorageCollection,
  StorageQuota,
  StorageUsageRepository,
];

const branches = [
  BranchesRepository,
  BranchResolution,
  BranchRefs,
  BranchForks,
  BranchRemoval,
  DeployBranches,
  BranchesService,
  BranchListService,
  StagingService,
];

const writes = [
  EffectApplier,
  JournalService,
  WriteTurns,
  FileListService,
  FilesService,
  WriteMetrics,
  CommitService,
  PullService,
  MergeService,
  UploadsRepository,
  UploadsService,
  UploadFinishService,
];

const devMode = [DevSessionsRepository, DevModeService];

const builds = [BuildsRepository, BuildQueue, BuildMetrics, BuildRunner, BuildStatusService];

const github = [
  GithubApp,
  GithubInstallationsRepository,
  GithubDeliveriesRepository,
  LinkSeals,
  GithubLinkService,
  GithubCatalogueService,
  GithubRemoteCredentials,
  GithubRepositoryFactory,
  GithubConnectService,
  GithubWebhookService,
];

const compilation = [
  CompileResultsRepository,
  DataModelCompiler,
  SharedCompileResults,
  ValidationService,
  { provide: CompileCache, useFactory: () => new CompileCache() },
  {
    provide: Sandbox,
    inject: [CONFIG, SANDBOXES],
    useFactory: (config: BuildWorkerConfig, sandboxes: Sandboxes) =>
      sandboxes.open(config, { readable: findChildEntry().readable, secrets: [config.storageRoot] }),
  },
  {
    provide: ModelCompiler,
    inject: [Sandbox, CONFIG],
    useFactory: (sandbox: Sandbox, config: BuildWorkerConfig) => {
      const { compilerPoolSize: poolSize, compilerTimeoutMs: timeoutMs, compilerMemoryMb: memoryMb } = config;
      return new ModelCompiler(sandbox, { poolSize, timeoutMs, memoryMb });
    },
  },
];

const remotes = [
  GitRemotesRepository,
  RemoteTasksRepository,
  RemoteAccesses,
  RemoteFetches,
  SshRemoteCredentials,
  BranchSync,
  BranchPush,
  RemotesService,
  RemoteAttachmentService,
  RemoteMetrics,
  RemoteTaskRunner,
  GitRemotesService,
  {
    provide: RemoteTransport,
    inject: [CONFIG],
    useFactory: (config: BuildWorkerConfig) =>
      new RemoteTransport({
        allowInsecure: config.gitAllowInsecureRemotes,
        allowPrivate: config.gitAllowPrivateRemotes,
        timeoutMs: config.gitRemoteTimeoutMs,
        maxFetchBytes: config.gitRemoteMaxBytes,
        ...(config.gitCaFile !== undefined && { caFile: config.gitCaFile }),
      }),
  },
];

const storage = {
  provide: RepositoryStore,
  inject: [CONFIG, StorageQuota],
  useFactory: ({ storageRoot }: BuildWorkerConfig, quota: StorageQuota) =>
    new RepositoryStore({ root: storageRoot, admit: (id, bytes, repository) => quota.admit(id, bytes, repository) }),
};

/** Data models: branches, dev mode, files, merges, validation and builds. */
@Module({
  controllers: [
    BranchesController,
    BranchListController,
    DevModeController,
    FilesController,
    UploadsController,
    MergesController,
    ValidationController,
    BuildStatusController,
    EventsController,
    GithubController,
    GithubConnectionController,
    GitRemotesController,
  ],
  providers: [
    ...repositories,
    ...branches,
    ...devMode,
    ...writes,
    ...builds,
    ...compilation,
    storage,
    EventsService,
    ...github,
    ...remotes,
  ],
})
export class BuildWorkerModule implements OnApplicationShutdown {
  constructor(
    private readonly store: RepositoryStore,
    private readonly compiler: ModelCompiler,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.compiler.close();
    await this.store.close();
  }
}
