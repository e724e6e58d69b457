import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import pLimit from 'p-limit';

/** How long a question about a session is left open, in milliseconds: less than proxies wait. */
const HELD_MS = 25_000;
/** Sessions that are looked at at the same time after a change. */
const AT_ONCE = 20;

interface Held {
  tenantId: number;
  check: () => Promise<void>;
  done: (refusal?: AppError) => void;
  /** Whether it is to be looked at already. */
  isDue: boolean;
}

/**
 * Frames that are open ask whether their session goes on, and the question stays open until it does not, or for a while. So
 * an end is felt at once, and an open frame costs two requests a minute. What has ended is looked at when a notice says that
 * something has; a notice that is lost costs the rest of the while.
 */
export class OpenFrames {
  private readonly held = new Set<Held>();
  private readonly turns = pLimit(AT_ONCE);
  private isClosing = false;

  constructor(
    bus: Bus,
    private readonly logger: Logger,
    private readonly heldMs = HELD_MS,
  ) {
    // After the caches have heard of it, which hold what was.
    const changed = ({ tenantId }: { tenantId?: number }): void => void setImmediate(() => this.lookAt(tenantId));
    bus.subscribe('embed.session.changed', changed);
    bus.subscribe('control-plane.credential.changed', changed);
    bus.subscribe('workspace.content.changed', changed);
  }

  /**
   * Returns after a while, or when the client has gone.
   *
   * @param check throws when the frame has nothing to show any more
   * @throws AppError what `check` has thrown
   */
  async hold(tenantId: number, check: () => Promise<void>, gone: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const held: Held = {
        ...{ tenantId, check, isDue: false },
        done: (refusal) => {
          clearTimeout(timer);
          gone.removeEventListener('abort', over);
          this.held.delete(held);
          if (refusal) reject(refusal);
          else resolve();
        },
      };
      const over = (): void => held.done();
      const timer = setTimeout(over, this.heldMs);
      gone.addEventListener('abort', over);
      // Before the first look, which may be older than a change that is told meanwhile.
      this.held.add(held);
      check().then(
        () => (this.isClosing || gone.aborted) && held.done(),
        (refusal: unknown) => held.done(AppError.from(refusal)),
      );
    });
  }

  /** Answers all questions, so that connections can end. */
  close(): void {
    this.isClosing = true;
    for (const held of this.held) held.done();
  }

  private lookAt(tenantId: number | undefined): void {
    for (const held of this.held) {
      if (held.isDue || (tenantId !== undefined && held.tenantId !== tenantId)) continue;
      held.isDue = true;
      void this.turns(() => this.look(held));
    }
  }

  private async look(held: Held): Promise<void> {
    held.isDue = false;
    if (!this.held.has(held)) return;
    try {
      await held.check();
    } catch (thrown) {
      const error = AppError.from(thrown);
      if (error.status >= 400 && error.status < 500) held.done(error);
      else this.logger.warn({ err: error }, 'whether an embed session goes on could not be asked');
    }
  }
}
