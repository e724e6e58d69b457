import { Module } from '@nestjs/common';
import { RemoteTransport } from '@plinth/git';
import { CONFIG, LOGGER } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import type { BuildWorkerConfig } from '../../build-worker.config';
import { BranchFollowers, DataModelsModule, EffectApplier } from '../../data-models';
import { ProvisioningModule } from '../../provisioning';
import { BranchPush } from './branch-push';
import { BranchSync } from './branch-sync';
import { connectedRemote } from './connected-remote';
import { GitRemotesController } from './git-remotes.controller';
import { GitRemotesRepository } from './git-remotes.repository';
import { GitRemotesService } from './git-remotes.service';
import { RemoteAccesses } from './remote-access';
import { RemoteAttachmentService } from './remote-attachment.service';
import { RemoteFetches } from './remote-fetches';
import { RemoteMetrics } from './remote-metrics';
import { RemoteTaskRunner } from './remote-task-runner';
import { RemoteTasksRepository } from './remote-tasks.repository';
import { RemotesService } from './remotes.service';
import { SshRemoteCredentials } from './ssh-remote-credentials';

const transport = {
  provide: RemoteTransport,
  inject: [CONFIG, LOGGER],
  useFactory: (config: BuildWorkerConfig, logger: Logger) =>
    new RemoteTransport({
      allowInsecure: config.gitAllowInsecureRemotes,
      allowPrivate: config.gitAllowPrivateRemotes,
      timeoutMs: config.gitRemoteTimeoutMs,
      maxFetchBytes: config.gitRemoteMaxBytes,
      logger,
      ...(config.gitCaFile !== undefined && { caFile: config.gitCaFile }),
    }),
};

const shared = [
  transport,
  GitRemotesRepository,
  RemoteTasksRepository,
  RemoteAccesses,
  RemotesService,
  RemoteAttachmentService,
];

/** Repositories elsewhere that deployments follow. */
@Module({
  imports: [DataModelsModule, ProvisioningModule],
  controllers: [GitRemotesController],
  providers: [
    ...shared,
    RemoteFetches,
    SshRemoteCredentials,
    BranchSync,
    BranchPush,
    RemoteMetrics,
    RemoteTaskRunner,
    GitRemotesService,
  ],
  exports: shared,
})
export class GitRemotesModule {
  constructor(
    followers: BranchFollowers,
    effects: EffectApplier,
    remotes: GitRemotesRepository,
    tasks: RemoteTasksRepository,
  ) {
    followers.register({
      moved: (tx, deploymentId, branchNames) => tasks.requestPushes(tx, deploymentId, branchNames),
    });
    effects.register(connectedRemote, async (tx, connection) => {
      await remotes.connect(tx, connection);
      await tasks.requestSync(tx, connection.deploymentId);
      return true;
    });
  }
}
