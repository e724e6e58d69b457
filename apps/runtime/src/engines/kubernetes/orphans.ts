import type { V1Service } from '@kubernetes/client-node';
import type { Logger } from '@plinth/observability';
import { WakeableLoop } from '@plinth/tasks';
import type { Cluster } from './cluster';
import { DEPLOYMENT, HOLDER, labelsOfInstance } from './engine-labels';

const EVERY_MS = 60_000;
const ROUNDS = 10;
/** Until the other runtimes have been heard of, in milliseconds. */
const FIRST_AFTER_MS = 10_000;

/** The runtimes, as this one has heard of them. */
export interface Peers {
  isAlive(runtimeId: string): boolean;
  ownerOf(deploymentId: string): string | undefined;
}

export interface OrphansOptions {
  cluster: Pick<Cluster, 'services' | 'deleteService'>;
  instance: string;
  runtimeId: string;
  peers: Peers;
  /** Marks of what this runtime has. */
  held: ReadonlySet<string>;
  orphanMs: number;
  logger: Logger;
  now?: () => number;
}

/**
 * Ends engines that no runtime holds any more: those of one that crashed, of deployments that are gone, and those that ended
 * by themselves and that nobody has asked since. Until then, whoever serves their deployment may take them over.
 */
export class Orphans {
  private readonly loop: WakeableLoop;
  private readonly now: () => number;
  /** Since when engines have been orphans, by their uids and marks. */
  private since = new Map<string, number>();

  constructor(private readonly options: OrphansOptions) {
    const { orphanMs, logger, now = () => performance.now() } = options;
    this.now = now;
    this.loop = new WakeableLoop(() => this.round(), {
      name: 'end engines that no runtime holds',
      everyMs: Math.min(EVERY_MS, Math.max(1_000, orphanMs / ROUNDS)),
      firstAfterMs: Math.min(FIRST_AFTER_MS, orphanMs),
      logger,
    });
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  async round(): Promise<void> {
    const { cluster, instance, orphanMs, logger } = this.options;
    const services = await cluster.services(labelsOfInstance(instance));
    const now = this.now();
    const orphans = services.filter((service) => this.isOrphan(service));
    this.since = new Map(orphans.map((service) => [keyOf(service), this.since.get(keyOf(service)) ?? now]));
    for (const service of orphans) {
      if (now - (this.since.get(keyOf(service)) ?? now) < orphanMs) continue;
      if (await cluster.deleteService(service)) {
        logger.info({ engine: service.metadata?.name }, 'An engine that no runtime held has been ended');
      }
    }
  }

  /** Of those that others have had, the owner of the deployment takes care. */
  private isOrphan(service: V1Service): boolean {
    const { held, runtimeId, peers } = this.options;
    const holder = holderOf(service);
    if (held.has(holder)) return false;
    const [holdingRuntime = ''] = holder.split('/');
    if (holdingRuntime === runtimeId) return true;
    const deployment = service.metadata?.labels?.[DEPLOYMENT] ?? '';
    return !peers.isAlive(holdingRuntime) && peers.ownerOf(deployment) === runtimeId;
  }
}

const holderOf = ({ metadata }: V1Service): string => metadata?.annotations?.[HOLDER] ?? '';
const keyOf = (service: V1Service): string => `${service.metadata?.uid}/${holderOf(service)}`;
