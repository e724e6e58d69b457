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
  private readonly timer: NodeJS.Timeout;
  private renewedAt: number;
  private catchingUp = false;
  private left = false;

  constructor(
    private readonly transport: Pick<Transport, 'publish' | 'flush'>,
    private readonly services: Iterable<string>,
    private readonly workerId: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.renewedAt = now();
    this.announce();
    this.timer = setInterval(() => void this.renew(), HEARTBEAT_MS).unref();
  }

  /** Whether a request that arrives now may be started. */
  holds(): boolean {
    return this.left || (!this.catchingUp && this.now() - this.renewedAt <= LEASE_MS);
  }

  /** Tells everybody that the worker leaves. What was sent to it before they heard of it is still served. */
  leave(): void {
    this.left = true;
    clearInterval(this.timer);
    for (const service of this.services) this.transport.publish(leavingTopic(service), { workerId: this.workerId });
  }

  private async renew(): Promise<void> {
    if (this.catchingUp) return;
    if (!this.holds()) {
      this.catchingUp = true;
      await this.transport.flush().catch(() => undefined);
      this.catchingUp = false;
    }
    this.renewedAt = this.now();
    if (!this.left) this.announce();
  }

  private announce(): void {
    for (const service of this.services) this.transport.publish(aliveTopic(service), { workerId: this.workerId });
  }
}
