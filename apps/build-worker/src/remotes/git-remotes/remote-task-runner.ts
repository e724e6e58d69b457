import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, taskStoreOf } from '@plinth/database';
import { RepositoryNotFoundError } from '@plinth/git';
import { BUS, LOGGER, METRICS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import { TaskRunner } from '@plinth/tasks';
import type { Registry } from 'prom-client';
import { RemoteTasksRepository, type ClaimedTask } from './remote-tasks.repository';
import { RemotesService } from './remotes.service';

const REQUESTED = 'build-worker.remote-task.requested';
const AT_ONCE = 2;

/** Does what is to be done with remote repositories, whichever worker was asked for it. */
@Injectable()
export class RemoteTaskRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly runner: TaskRunner<ClaimedTask, void>;
  private subscriptions: (() => void)[] = [];

  constructor(
    @Inject(Database) database: Database,
    private readonly tasks: RemoteTasksRepository,
    private readonly service: RemotesService,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) metrics: Registry,
  ) {
    this.runner = new TaskRunner({
      kind: 'remote',
      store: taskStoreOf(database, tasks),
      work: (task, signal) => this.carryOut(task, signal),
      concurrency: AT_ONCE,
      // Git children end at once: everything that they do may be repeated.
      drainMs: 0,
      describe: ({ deploymentId, branchName, kind }) => ({ deploymentId, branchName, operation: kind }),
      logger,
      metrics,
    });
  }

  onApplicationBootstrap(): void {
    this.subscriptions = [
      this.tasks.onAdded(() => this.bus.publish({ topic: REQUESTED, payload: {} })),
      this.bus.subscribe(REQUESTED, () => this.runner.wake()),
    ];
    this.runner.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    for (const unsubscribe of this.subscriptions) unsubscribe();
    return this.runner.stop();
  }

  private async carryOut(task: ClaimedTask, signal: AbortSignal): Promise<void> {
    try {
      await this.service.carryOut(task, signal);
    } catch (error) {
      // Nothing is left that could be in step.
      if (!(error instanceof RepositoryNotFoundError) || signal.aborted) throw error;
    }
  }
}
