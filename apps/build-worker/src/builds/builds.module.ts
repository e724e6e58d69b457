import { Module } from '@nestjs/common';
import { CompilationModule } from '../compilation';
import { BranchFollowers, DataModelsModule } from '../data-models';
import { ProvisioningModule } from '../provisioning';
import { BuildMetrics } from './build-metrics';
import { BuildQueue } from './build-queue';
import { BuildRunner } from './build-runner';
import { BuildStatusController } from './build-status.controller';
import { BuildStatusService } from './build-status.service';
import { BuildsRepository } from './builds.repository';

/** Builds what branches hold for others to use. */
@Module({
  imports: [DataModelsModule, ProvisioningModule, CompilationModule],
  controllers: [BuildStatusController],
  providers: [BuildsRepository, BuildQueue, BuildMetrics, BuildRunner, BuildStatusService],
  exports: [BuildsRepository],
})
export class BuildsModule {
  constructor(followers: BranchFollowers, queue: BuildQueue, builds: BuildsRepository) {
    followers.register({
      build: (tx, request) => queue.add(tx, request),
      removed: (tx, deploymentId, branchName) => builds.cancelQueued(tx, deploymentId, branchName),
    });
  }
}
