import { setMaxListeners } from 'node:events';
import { atMost } from '@plinth/caches';
import type { ServiceName } from '@plinth/contract';
import { LRUCache } from 'lru-cache';
import { deadlineExceeded } from './bus-errors';
import { chooseOwner } from './rendezvous';
import { SharedInterval } from './shared-interval';
import type { Transport } from './transport';
import { aliveTopic, LEASE_MS, leavingTopic } from './worker-lease';

const SWEEP_MS = 500;
/** Of all buses of the process: the one process has one for each service. */
const sweeps = new SharedInterval(SWEEP_MS);
/** Keys whose last owner is remembered, to notice when it changes. */
const REMEMBERED_KEYS = 20_000;

interface Worker {
  heardAt: number;
  /** False for one that leaves, or was not there when called: it owns nothing, but may still be at work. */
  takesCalls: boolean;
  /** Whether it has said so itself. */
  isLeaving: boolean;
  /** Aborted when the worker has been silent for longer than its lease. */
  silence: AbortController;
}

export interface OwnersOptions {
  /** Called when a key turns out to have another owner than when it was last asked for. */
  onMove?: (() => void) | undefined;
  /** Called once when a worker owns nothing any more, because it has fallen silent or because it leaves. */
  onGone?: ((service: string, workerId: string, how: 'silent' | 'leaving') => void) | undefined;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/** Services whose operations on a deployment go to the worker that owns the deployment, each with workers of its own. */
const OWNED_SERVICES: readonly string[] = ['build-worker', 'runtime'] satisfies ServiceName[];

/**
 * The workers of each owned service that are alive as far as this process has heard, and which of them owns a key. A process
 * that stood still has heard nobody, and takes nobody for dead because of that.
 */
export class Owners {
  private readonly workers = new Map(OWNED_SERVICES.map((service) => [service, new Map<string, Worker>()]));
  private readonly lastOwners = new LRUCache<string, string>(atMost(REMEMBERED_KEYS));
  private readonly unsubscribe: (() => void)[];
  private sweptAt: number;
  private readonly onMove: () => void;
  private readonly onGone: NonNullable<OwnersOptions['onGone']>;
  private readonly now: () => number;

  constructor(
    transport: Pick<Transport, 'subscribe'>,
    { onMove = () => undefined, onGone = () => undefined, now = () => performance.now() }: OwnersOptions = {},
  ) {
    this.onMove = onMove;
    this.onGone = onGone;
    this.now = now;
    this.sweptAt = now();
    this.unsubscribe = [...this.workers].flatMap(([service, workers]) => [
      transport.subscribe(aliveTopic(service), ({ workerId }) => this.heard(workers, String(workerId))),
      transport.subscribe(leavingTopic(service), ({ workerId }) => this.heardLeaving(service, String(workerId))),
    ]);
    this.unsubscribe.push(sweeps.add(() => this.sweep()));
  }

  /** Whether deployments have owners in the service. */
  isOwned(service: string): boolean {
    return this.workers.has(service);
  }

  ownerOf(service: string, key: string): string | undefined {
    this.sweep();
    const owner = chooseOwner(this.members(service), key);
    if (owner !== undefined) this.remember(`${service}/${key}`, owner);
    return owner;
  }

  /** Whether the worker has been heard of within its lease. */
  isAlive(service: string, workerId: string): boolean {
    this.sweep();
    return this.workers.get(service)?.has(workerId) ?? false;
  }

  /** Whether the worker's last heartbeat has come: so heartbeats do come. */
  isFresh(service: string, workerId: string): boolean {
    const heardAt = this.workers.get(service)?.get(workerId)?.heardAt ?? -Infinity;
    return this.now() - heardAt <= LEASE_MS / 2;
  }

  /**
   * Aborted with a 504 when the worker falls silent, so that nobody waits longer for a reply that will not come.
   * A worker that leaves in order is heard of until it has finished what it took.
   */
  silenceOf(service: string, workerId: string): AbortSignal | undefined {
    return this.workers.get(service)?.get(workerId)?.silence.signal;
  }

  /** The worker was not there when it was called; it owns nothing until it is heard of again. */
  drop(service: string, workerId: string): void {
    const worker = this.workers.get(service)?.get(workerId);
    if (worker) worker.takesCalls = false;
  }

  close(): void {
    for (const end of this.unsubscribe) end();
  }

  private remember(key: string, owner: string): void {
    const before = this.lastOwners.get(key);
    if (before === owner) return;
    this.lastOwners.set(key, owner);
    if (before !== undefined) this.onMove();
  }

  private *members(service: string): Generator<string> {
    for (const [workerId, { takesCalls }] of this.workers.get(service) ?? []) if (takesCalls) yield workerId;
  }

  private heard(workers: Map<string, Worker>, workerId: string): void {
    const silence = workers.get(workerId)?.silence ?? sharedController();
    workers.set(workerId, { heardAt: this.now(), takesCalls: true, isLeaving: false, silence });
  }

  private heardLeaving(service: string, workerId: string): void {
    const worker = this.workers.get(service)?.get(workerId);
    if (!worker) return;
    if (!worker.isLeaving) this.onGone(service, workerId, 'leaving');
    Object.assign(worker, { heardAt: this.now(), takesCalls: false, isLeaving: true });
  }

  private sweep(): void {
    const stoodMs = this.standstill();
    for (const [service, workers] of this.workers) {
      for (const [workerId, worker] of workers) {
        worker.heardAt += stoodMs;
        if (worker.heardAt >= this.sweptAt - LEASE_MS) continue;
        workers.delete(workerId);
        worker.silence.abort(deadlineExceeded());
        if (!worker.isLeaving) this.onGone(service, workerId, 'silent');
      }
    }
  }

  /** For how long nobody can have been heard since the last sweep, because this process itself did not run. */
  private standstill(): number {
    const before = this.sweptAt;
    this.sweptAt = this.now();
    const late = this.sweptAt - before - SWEEP_MS;
    return late > SWEEP_MS ? late : 0;
  }
}

/** As many calls listen to it as the worker serves at once. */
function sharedController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
