import { WakeableLoop } from '@plinth/tasks';
import type { BusLogger } from './logger';
import type { Transport } from './transport';

const HEARTBEAT_MS = 1_000;
/** A worker not heard of for this long owns nothing any more. */
export const LEASE_MS = 3_000;

export const aliveTopic = (service: string): string => `${service}.worker.alive`;
export const leavingTopic = (service: string): string => `${service}.worker.leaving`;

/**
 * A worker's claim to what it owns, renewed by saying that it is alive.
 *
 * A worker that stood still for longer than the lease (stopped, starved, frozen with its machine) finds requests whose
 * callers have gone and may have asked its successor. It must not start them: until everything that queued up
 * meanwhile has arrived the lease does not hold, and only then does the worker say again that it is alive.
 */
export class WorkerLease {
  private readonly heartbeat: WakeableLoop;
  private renewedAt: number;
  private catchingUp = false;
  private left = false;

  constructor(
    private readonly transport: Pick<Transport, 'publish' | 'flush'>,
    private readonly services: ReadonlySet<string>,
    readonly workerId: string,
    private readonly logger: BusLogger,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.renewedAt = now();
    this.announce();
    const [everyMs, name] = [HEARTBEAT_MS, 'say that the worker is alive'];
    this.heartbeat = new WakeableLoop(() => this.renew(), { name, everyMs, firstAfterMs: everyMs, logger });
    this.heartbeat.start();
  }

  isOf(service: string): boolean {
    return this.services.has(service);
  }

  /** Whether a request that arrives now may be started. */
  holds(): boolean {
    return this.left || (!this.catchingUp && this.now() - this.renewedAt <= LEASE_MS);
  }

  /**
   * Tells everybody, from now on until the end, that the worker takes no more but is still at work: what it was sent
   * before they heard of it is served, and whoever waits for that goes on waiting.
   */
  leave(): void {
    this.left = true;
    this.logger.info({ workerId: this.workerId }, 'this worker leaves: its deployments belong to the others');
    this.announce();
  }

  end(): void {
    void this.heartbeat.stop();
  }

  private async renew(): Promise<void> {
    if (!this.holds()) {
      const silentMs = Math.round(this.now() - this.renewedAt);
      this.logger.warn(
        { workerId: this.workerId, silentMs },
        'this worker was silent for too long: its deployments belonged to the others meanwhile',
      );
      this.catchingUp = true;
      await this.transport.flush().catch(() => undefined);
      this.catchingUp = false;
    }
    this.renewedAt = this.now();
    this.announce();
  }

  private announce(): void {
    const topic = this.left ? leavingTopic : aliveTopic;
    for (const service of this.services) this.transport.publish(topic(service), { workerId: this.workerId });
  }
}
