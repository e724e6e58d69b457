import { chooseOwner } from './rendezvous';
import type { Transport } from './transport';

const HEARTBEAT_MS = 1_000;
/** A worker not heard of for this long owns nothing any more. */
const LEASE_MS = 3_000;

const aliveTopic = (service: string): string => `${service}.worker.alive`;
const leavingTopic = (service: string): string => `${service}.worker.leaving`;

/** The workers of a service that are alive as far as this process has heard, and which of them owns a key. */
export class Owners {
  private readonly lastHeard = new Map<string, number>();
  private readonly unsubscribe: (() => void)[];

  constructor(
    transport: Pick<Transport, 'subscribe'>,
    service: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.unsubscribe = [
      transport.subscribe(aliveTopic(service), ({ workerId }) => this.heard(String(workerId))),
      transport.subscribe(leavingTopic(service), ({ workerId }) => this.drop(String(workerId))),
    ];
  }

  ownerOf(key: string): string | undefined {
    const oldest = this.now() - LEASE_MS;
    for (const [workerId, heardAt] of this.lastHeard) {
      if (heardAt < oldest) this.lastHeard.delete(workerId);
    }
    return chooseOwner(this.lastHeard.keys(), key);
  }

  drop(workerId: string): void {
    this.lastHeard.delete(workerId);
  }

  close(): void {
    for (const end of this.unsubscribe) end();
  }

  private heard(workerId: string): void {
    this.lastHeard.set(workerId, this.now());
  }
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
