import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { RemoteTransport, RepositoryStore } from '@plinth/git';
import { CONFIG, SANDBOXES, type Sandboxes } from '@plinth/host';
import { Sandbox } from '@plinth/sandbox';
import { BranchForks } from './authoring/branches/branch-forks';
import { BranchListController } from './authoring/branches/branch-list.controller';
import { BranchListService } from './authoring/branches/branch-list.service';
import { BranchRefs } from './data-models/branches/branch-refs';
import { BranchRemoval } from './data-models/branches/branch-removal';
import { BranchResolution } from './data-models/branches/branch-resolution';
import { BranchesController } from './authoring/branches/branches.controller';
import { BranchesRepository } from './data-models/branches/branches.repository';
import { BranchesService } from './authoring/branches/branches.service';
import { DeployBranches } from './provisioning/deploy-branches';
import { StagingService } from './authoring/branches/staging.service';
import type { BuildWorkerConfig } from './build-worker.config';
import { BuildMetrics } from './builds/build-metrics';
import { BuildQueue } from './builds/build-queue';
import { BuildRunner } from './builds/build-runner';
import { BuildStatusController } from './builds/build-status.controller';
import { BuildStatusService } from './builds/build-status.service';
import { BuildsRepository } from './builds/builds.repository';
import { findChildEntry } from './compilation/compiler/child-entry';
import { CompileCache } from './compilation/compiler/compile-cache';
import { ModelCompiler } from './compilation/compiler/model-compiler';
import { DevModeController } from './authoring/dev-mode/dev-mode.controller';
import { DevModeService } from './authoring/dev-mode/dev-mode.service';
import { DevSessionsRepository } from './data-models/dev-mode/dev-sessions.repository';
import { EventsController } from './provisioning/events.controller';
import { EventsService } from './provisioning/events.service';
import { FileListService } from './authoring/files/file-list.service';
import { FilesController } from './authoring/files/files.controller';
import { FilesService } from './authoring/files/files.service';
import { GithubController } from './remotes/github/github.controller';
import { GithubApp } from './remotes/github/github-app';
import { GithubCatalogueService } from './remotes/github/github-catalogue.service';
import { GithubConnectService } from './remotes/github/github-connect.service';
import { GithubConnectionController } from './remotes/github/github-connection.controller';
import { GithubDeliveriesRepository } from './remotes/github/github-deliveries.repository';
import { GithubInstallationsRepository } from './remotes/github/github-installations.repository';
import { GithubLinkService } from './remotes/github/github-link.service';
import { GithubRemoteCredentials } from './remotes/github/github-remote-credentials';
import { GithubRepositoryFactory } from './remotes/github/github-repository.factory';
import { GithubWebhookService } from './remotes/github/github-webhook.service';
import { LinkSeals } from './remotes/github/link-seals';
import { EffectApplier } from './data-models/journal/effect-applier';
import { JournalService } from './data-models/journal/journal.service';
import { WriteMetrics } from './data-models/journal/write-metrics';
import { WriteTurns } from './data-models/journal/write-turns';
import { CommitService } from './authoring/merges/commit.service';
import { MergeService } from './authoring/merges/merge.service';
import { MergesController } from './authoring/merges/merges.controller';
import { PullService } from './authoring/merges/pull.service';
import { BranchPush } from './remotes/git-remotes/branch-push';
import { BranchSync } from './remotes/git-remotes/branch-sync';
import { GitRemotesController } from './remotes/git-remotes/git-remotes.controller';
import { GitRemotesRepository } from './remotes/git-remotes/git-remotes.repository';
import { GitRemotesService } from './remotes/git-remotes/git-remotes.service';
import { RemoteAccesses } from './remotes/git-remotes/remote-access';
import { RemoteAttachmentService } from './remotes/git-remotes/remote-attachment.service';
import { RemoteFetches } from './remotes/git-remotes/remote-fetches';
import { RemoteMetrics } from './remotes/git-remotes/remote-metrics';
import { RemoteTaskRunner } from './remotes/git-remotes/remote-task-runner';
import { RemoteTasksRepository } from './remotes/git-remotes/remote-tasks.repository';
import { RemotesService } from './remotes/git-remotes/remotes.service';
import { SshRemoteCredentials } from './remotes/git-remotes/ssh-remote-credentials';
import { ProvisioningService } from './provisioning/provisioning.service';
import { RepositoriesRepository } from './data-models/repositories/repositories.repository';
import { RepositoriesService } from './data-models/repositories/repositories.service';
import { RepositoryUpkeep } from './data-models/repositories/repository-upkeep';
import { StorageCollection } from './data-models/repositories/storage-collection';
import { StorageQuota } from './data-models/repositories/storage-quota';
import { StorageUsageRepository } from './data-models/repositories/storage-usage.repository';
import { CompileResultsRepository } from './compilation/validation/compile-results.repository';
import { UploadFinishService } from './authoring/uploads/upload-finish.service';
import { UploadsController } from './authoring/uploads/uploads.controller';
import { UploadsRepository } from './authoring/uploads/uploads.repository';
import { UploadsService } from './authoring/uploads/uploads.service';
import { DataModelCompiler } from './compilation/validation/data-model-compiler';
import { SharedCompileResults } from './compilation/validation/shared-compile-results';
import { ValidationController } from './compilation/validation/validation.controller';
import { ValidationService } from './compilation/validation/validation.service';

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
