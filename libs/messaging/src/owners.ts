import { setMaxListeners } from 'node:events';
import { deadlineExceeded } from './bus-errors';
import { chooseOwner } from './rendezvous';
import type { Transport } from './transport';

const HEARTBEAT_MS = 1_000;
/** A worker not heard of for this long owns nothing any more. */
const LEASE_MS = 3_000;

const aliveTopic = (service: string): string => `${service}.worker.alive`;
const leavingTopic = (service: string): string => `${service}.worker.leaving`;

const SWEEP_MS = 500;

interface Worker {
  heardAt: number;
  /** Aborted when the worker has been silent for longer than its lease. */
  silence: AbortController;
}

/** The workers of a service that are alive as far as this process has heard, and which of them owns a key. */
export class Owners {
  private readonly workers = new Map<string, Worker>();
  private readonly unsubscribe: (() => void)[];
  private readonly sweeper: NodeJS.Timeout;

  constructor(
    transport: Pick<Transport, 'subscribe'>,
    service: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.unsubscribe = [
      transport.subscribe(aliveTopic(service), ({ workerId }) => this.heard(String(workerId))),
      transport.subscribe(leavingTopic(service), ({ workerId }) => this.drop(String(workerId))),
    ];
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  ownerOf(key: string): string | undefined {
    this.sweep();
    return chooseOwner(this.workers.keys(), key);
  }

  /**
   * Aborted with a 504 when the worker falls silent, so that nobody waits longer for a reply that will not come.
   * A worker that leaves in order is not silent: it finishes what it took.
   */
  silenceOf(workerId: string): AbortSignal | undefined {
    return this.workers.get(workerId)?.silence.signal;
  }

  drop(workerId: string): void {
    this.workers.delete(workerId);
  }

  close(): void {
    clearInterval(this.sweeper);
    for (const end of this.unsubscribe) end();
  }

  private heard(workerId: string): void {
    const worker = this.workers.get(workerId);
    if (worker) worker.heardAt = this.now();
    else this.workers.set(workerId, { heardAt: this.now(), silence: sharedController() });
  }

  private sweep(): void {
    const oldest = this.now() - LEASE_MS;
    for (const [workerId, { heardAt, silence }] of this.workers) {
      if (heardAt >= oldest) continue;
      this.workers.delete(workerId);
      silence.abort(deadlineExceeded());
    }
  }
}

/** As many calls listen to it as the worker serves at once. */
function sharedController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Tells everybody that the worker is alive, until the returned function tells them that it leaves. */
export function announceWorker(transport: Pick<Transport, 'publish'>, service: string, workerId: string): () => void {
  const announce = (): void => transport.publish(aliveTopic(service), { workerId });
  announce();
  const timer = setInterval(announce, HEARTBEAT_MS).unref();
  return () => {
    clearInterval(timer);
    transport.publish(leavingTopic(service), { workerId });
  };
}
