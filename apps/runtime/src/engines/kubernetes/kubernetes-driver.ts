import { randomBytes } from 'node:crypto';
import type { V1Service } from '@kubernetes/client-node';
import type { Logger } from '@plinth/observability';
import { Redactor } from '@plinth/redaction';
import type { EngineDriver, EngineNews, EngineStart, RunningEngine } from '../engine-driver';
import type { Cluster } from './cluster';
import { ClusterEngine } from './cluster-engine';
import { ClusterError } from './cluster-error';
import { labelsOfRevision } from './engine-labels';
import type { EngineSecrets } from './engine-secrets';
import { manifestsOf, type EngineManifests, type ManifestOptions } from './manifests';
import { Orphans, type Peers } from './orphans';

export interface KubernetesDriverOptions {
  cluster: Cluster;
  secrets: EngineSecrets;
  manifests: ManifestOptions;
  runtimeId: string;
  peers: Peers;
  /** Time after which an engine is ended that no runtime holds, in milliseconds. */
  orphanMs: number;
  logger: Logger;
}

interface Held {
  service: V1Service;
  adopted: boolean;
}

/**
 * Runs each engine as a Deployment of the official image, behind a Service that owns all that belongs to it. One that serves
 * the same already is taken over, whoever started it; by a mark on its Service each knows whether it still has it.
 */
export class KubernetesDriver implements EngineDriver {
  /** Marks of what this runtime starts and has. */
  private readonly held = new Set<string>();
  private readonly orphans: Orphans;

  constructor(private readonly options: KubernetesDriverOptions) {
    const { cluster, runtimeId, peers, orphanMs, logger, manifests } = options;
    const { instance } = manifests;
    this.orphans = new Orphans({ cluster, instance, runtimeId, peers, held: this.held, orphanMs, logger });
    this.orphans.start();
  }

  async start(order: EngineStart, onNews: (news: EngineNews) => void, signal: AbortSignal): Promise<RunningEngine> {
    signal.throwIfAborted();
    const { cluster, secrets, runtimeId, logger } = this.options;
    const manifests = manifestsOf(order, secrets, this.options.manifests);
    const holder = `${runtimeId}/${randomBytes(4).toString('hex')}`;
    this.held.add(holder);
    let engine: ClusterEngine | undefined;
    try {
      const { service, adopted } = await this.take(order, manifests, holder);
      const named = manifests.named(service.metadata?.name ?? '', holder);
      const tokenSecret = secrets.tokenSecretOf(service.metadata?.name ?? '');
      const redactor = new Redactor({ variables: order.variables, secrets: [tokenSecret] });
      const redact = (text: string): string => redactor.clean(text);
      engine = new ClusterEngine({
        cluster,
        service,
        holder,
        tokenSecret,
        tokens: (tokens) => named.tokens(service, tokens),
        heardUntil: adopted ? new Date().toISOString() : undefined,
        onNews: (news) => onNews(news.kind === 'log' ? { ...news, message: redact(news.message) } : news),
        redact,
        logger,
      });
      await cluster.createOwned(named.owned(service), named.tokens(service, order.tokens ?? []));
      // What the runtime before had is older; what it had counts where there is nothing newer.
      if (adopted && order.tokens) await engine.replaceTokens(order.tokens);
      await engine.ready(signal);
      void engine.ended.then(() => this.held.delete(holder));
      return engine;
    } catch (error) {
      this.held.delete(holder);
      if (error instanceof ClusterError) logger.error({ reason: error.reason }, 'The cluster does not take an engine');
      await engine?.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.orphans.stop();
  }

  private async take(order: EngineStart, manifests: EngineManifests, holder: string): Promise<Held> {
    const { cluster, manifests: options } = this.options;
    const alike = await cluster.services(labelsOfRevision(options.instance, order, manifests.revision));
    for (const found of alike.filter(({ metadata }) => !metadata?.deletionTimestamp)) {
      const service = await cluster.claim(found, holder);
      if (service) return { service, adopted: true };
    }
    const { environmentId } = order.place;
    const name = `plinth-engine-${environmentId}-${manifests.revision.slice(0, 8)}-${randomBytes(3).toString('hex')}`;
    return { service: await cluster.createService(manifests.named(name, holder).service), adopted: false };
  }
}
