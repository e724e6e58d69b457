import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '@plinth/database';
import { RepositoryNotFoundError } from '@plinth/git';
import { LOGGER } from '@plinth/host';
import { failpoint, type Logger } from '@plinth/observability';
import { textOf } from './remote-errors';
import { RemoteTasksRepository, type ClaimedTask } from './remote-tasks.repository';
import { RemotesService } from './remotes.service';

const POLL_MS = 1_000;
const RENEW_MS = 5_000;
const AT_ONCE = 2;

/** Claims what is to be done with remote repositories; what a dead worker had claimed comes up again by itself. */
@Injectable()
export class RemoteTaskRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tasks: RemoteTasksRepository,
    private readonly service: RemotesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.wake(), POLL_MS).unref();
  }

  /** Git children end at once: everything that they do may be repeated. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort(new Error('The worker is stopping'));
    await this.looking;
    await Promise.all(this.running);
  }

  private wake(): void {
    this.looking ??= this.look()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'could not look for work with remote repositories'))
      .finally(() => (this.looking = undefined));
  }

  private async look(): Promise<void> {
    while (this.running.size < AT_ONCE && !this.stopping.signal.aborted) {
      const task = await this.database.asSystem((tx) => this.tasks.claim(tx));
      if (!task) return;
      const run = this.run(task)
        .catch((error: unknown) => this.logger.warn({ err: error, ...task }, 'a remote task could not be concluded'))
        .finally(() => {
          this.running.delete(run);
          this.wake();
        });
      this.running.add(run);
    }
  }

  private async run(task: ClaimedTask): Promise<void> {
    const lost = new AbortController();
    const renewal = setInterval(() => void this.renew(task, lost), RENEW_MS).unref();
    try {
      failpoint('remote.after-claim');
      await this.service.carryOut(task, AbortSignal.any([this.stopping.signal, lost.signal]));
      failpoint('remote.before-finish');
      await this.database.asSystem((tx) => this.tasks.finish(tx, task));
    } catch (error) {
      if (!lost.signal.aborted) await this.conclude(task, error);
    } finally {
      clearInterval(renewal);
    }
  }

  private async conclude(task: ClaimedTask, error: unknown): Promise<void> {
    const { deploymentId, branchName, kind } = task;
    if (this.stopping.signal.aborted) return this.database.asSystem((tx) => this.tasks.release(tx, task));
    if (error instanceof RepositoryNotFoundError) return this.database.asSystem((tx) => this.tasks.finish(tx, task));
    const text = textOf(error);
    this.logger.warn({ err: error, deploymentId, branchName, kind }, 'work with a remote repository failed');
    await this.database.asSystem((tx) => this.tasks.postpone(tx, task, text ?? 'It failed and will be repeated'));
  }

  /** Work whose claim somebody else has by now is his. */
  private async renew(task: ClaimedTask, lost: AbortController): Promise<void> {
    await this.database
      .asSystem((tx) => this.tasks.renew(tx, task))
      .then((holds) => void (!holds && lost.abort(new Error('Another worker has claimed the task'))))
      .catch((error: unknown) => this.logger.warn({ err: error }, 'a claim could not be renewed'));
  }
}
