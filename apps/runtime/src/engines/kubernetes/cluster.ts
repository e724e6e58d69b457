import { request as sendPlain, type IncomingMessage } from 'node:http';
import { request as sendSecure, type RequestOptions } from 'node:https';
import type * as Client from '@kubernetes/client-node';
import { own } from '@plinth/streams';
import { ClusterError, clusterErrorOf, hasStatus } from './cluster-error';
import { HOLDER, selectorOf, type Labels } from './engine-labels';
import type { OwnedManifests } from './manifests';
import { CONTAINER } from './pod-spec';

/** For one call of the API, in milliseconds. */
const DEADLINE_MS = 10_000;
const PAGE = 500;
/** Pods that one engine has at most while one takes the place of another, and more. */
const MOST_PODS = 20;
type Settings = NonNullable<Parameters<typeof Client.createConfiguration>[0]>;
type Middleware = NonNullable<Settings['promiseMiddleware']>[number];

const MERGE_PATCH = 'application/merge-patch+json';

export interface LogOptions {
  follow: boolean;
  /** Of the container before the one that runs. */
  previous?: boolean;
  /** Lines from then on, as RFC 3339 has it. */
  since?: string | undefined;
  tailLines?: number;
}

/** The calls of the Kubernetes API that engines need, in one namespace. Each has a deadline, and rejects with ClusterError. */
export class Cluster {
  private constructor(
    private readonly config: Client.KubeConfig,
    private readonly client: typeof Client,
    private readonly namespace: string,
    private readonly api: { core: Client.CoreV1Api; apps: Client.AppsV1Api; networking: Client.NetworkingV1Api },
  ) {}

  /**
   * Loads the client, which takes its time and memory, and connects to nothing yet.
   *
   * @param configFile a kubeconfig; the account of the pod when undefined
   * @param deadlineMs for one call
   * @throws Error when there is neither
   */
  static async load(configFile: string | undefined, namespace: string, deadlineMs = DEADLINE_MS): Promise<Cluster> {
    const client = await import('@kubernetes/client-node');
    const config = new client.KubeConfig();
    if (configFile === undefined) config.loadFromCluster();
    else config.loadFromFile(configFile);
    const server = config.getCurrentCluster()?.server;
    if (server === undefined) throw new Error('The configuration of Kubernetes names no cluster');
    const deadline: Middleware = {
      pre: async (context) => {
        context.setSignal(AbortSignal.timeout(deadlineMs));
        return context;
      },
      post: async (context) => context,
    };
    const settings = client.createConfiguration({
      baseServer: new client.ServerConfiguration(server, {}),
      authMethods: { default: config },
      promiseMiddleware: [deadline],
    });
    return new Cluster(config, client, namespace, {
      core: new client.CoreV1Api(settings),
      apps: new client.AppsV1Api(settings),
      networking: new client.NetworkingV1Api(settings),
    });
  }

  async services(labels: Labels): Promise<Client.V1Service[]> {
    const found: Client.V1Service[] = [];
    let next: string | undefined;
    do {
      const { items, metadata } = await this.attempt('list services', () =>
        this.api.core.listNamespacedService({
          namespace: this.namespace,
          labelSelector: selectorOf(labels),
          limit: PAGE,
          ...(next && { _continue: next }),
        }),
      );
      found.push(...items);
      next = metadata?._continue;
    } while (next);
    return found;
  }

  /** Undefined when there is none of the name. */
  service(name: string): Promise<Client.V1Service | undefined> {
    return this.attempt('read a service', () =>
      this.api.core.readNamespacedService({ name, namespace: this.namespace }),
    ).catch(unlessGone);
  }

  createService(body: Client.V1Service): Promise<Client.V1Service> {
    return this.attempt('create a service', () =>
      this.api.core.createNamespacedService({ namespace: this.namespace, body }),
    );
  }

  /** Makes the engine that of a runtime. Undefined when somebody else has changed it, or ended it. */
  claim({ metadata }: Client.V1Service, holder: string): Promise<Client.V1Service | undefined> {
    const { name = '', resourceVersion } = metadata ?? {};
    const body = { metadata: { resourceVersion, annotations: { [HOLDER]: holder } } };
    const asMerge = this.client.setHeaderOptions('Content-Type', MERGE_PATCH);
    return this.attempt('claim a service', () =>
      this.api.core.patchNamespacedService({ name, namespace: this.namespace, body }, asMerge),
    ).catch(unlessChanged);
  }

  /** Ends what the service owns with it. False when somebody has changed it. */
  async deleteService({ metadata }: Client.V1Service): Promise<boolean> {
    const { name = '', uid, resourceVersion } = metadata ?? {};
    const body = { propagationPolicy: 'Background', preconditions: { uid, resourceVersion } } as Client.V1DeleteOptions;
    const deleted = this.attempt('delete a service', () =>
      this.api.core.deleteNamespacedService({ name, namespace: this.namespace, body }),
    ).then(() => true);
    return deleted.catch((error: unknown) => {
      if (hasStatus(error, 404)) return true;
      if (hasStatus(error, 409)) return false;
      throw error;
    });
  }

  /** Makes what is not there yet, the wall around the engine before the engine. */
  async createOwned(
    { networkPolicy, secret, configMaps, deployment }: OwnedManifests,
    tokens: Client.V1Secret,
  ): Promise<void> {
    const { core, networking, apps } = this.api;
    const { namespace } = this;
    const make = (what: string, work: () => Promise<unknown>): Promise<void> =>
      this.attempt(`create a ${what}`, work).then(() => undefined, unlessThere);
    await make('network policy', () => networking.createNamespacedNetworkPolicy({ namespace, body: networkPolicy }));
    await Promise.all([
      ...[secret, tokens].map((body) => make('secret', () => core.createNamespacedSecret({ namespace, body }))),
      ...configMaps.map((body) => make('config map', () => core.createNamespacedConfigMap({ namespace, body }))),
    ]);
    await make('deployment', () => apps.createNamespacedDeployment({ namespace, body: deployment }));
  }

  /** Whatever it held is gone: nothing has to be read for that. */
  async replaceSecret(body: Client.V1Secret): Promise<void> {
    const { name = '' } = body.metadata ?? {};
    const { namespace } = this;
    await this.attempt('replace a secret', () => this.api.core.replaceNamespacedSecret({ name, namespace, body }));
  }

  async pods(labels: Labels): Promise<Client.V1Pod[]> {
    const { items } = await this.attempt('list pods', () =>
      this.api.core.listNamespacedPod({
        namespace: this.namespace,
        labelSelector: selectorOf(labels),
        limit: MOST_PODS,
      }),
    );
    return items;
  }

  /** Undefined when there is none of the name. */
  deployment(name: string): Promise<Client.V1Deployment | undefined> {
    return this.attempt('read a deployment', () =>
      this.api.apps.readNamespacedDeployment({ name, namespace: this.namespace }),
    ).catch(unlessGone);
  }

  /** Lines with the time of each in front. Whoever reads them owns the stream. */
  async log(pod: string, { follow, previous = false, since, tailLines }: LogOptions): Promise<IncomingMessage> {
    const path = `/api/v1/namespaces/${this.namespace}/pods/${encodeURIComponent(pod)}/log`;
    const url = new URL((this.config.getCurrentCluster()?.server ?? '').replace(/\/$/, '') + path);
    const query = { container: CONTAINER, follow, previous, timestamps: true, sinceTime: since, tailLines };
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const options: RequestOptions = {};
    await this.config.applyToHTTPSOptions(options);
    return responseOf(url, options);
  }

  private async attempt<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw clusterErrorOf(what, error);
    }
  }
}

/** The client's own way to follow logs has no deadline, and nobody who hears of the errors of its stream. */
function responseOf(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  const what = 'read a log';
  return new Promise((resolve, reject) => {
    const request = own((url.protocol === 'http:' ? sendPlain : sendSecure)(url, options), (error) =>
      reject(clusterErrorOf(what, error)),
    );
    const late = setTimeout(() => request.destroy(new Error('no answer in time')), DEADLINE_MS);
    request.once('close', () => {
      clearTimeout(late);
      reject(new ClusterError(undefined, `${what}: no answer`));
    });
    request.once('response', (response) => {
      clearTimeout(late);
      own(response);
      const { statusCode = 0 } = response;
      if (statusCode === 200) return resolve(response);
      response.destroy();
      reject(new ClusterError(statusCode, `${what}: ${statusCode}`));
    });
    request.end();
  });
}

function unlessGone(error: unknown): undefined {
  if (!hasStatus(error, 404)) throw error;
}

function unlessChanged(error: unknown): undefined {
  if (!hasStatus(error, 404, 409)) throw error;
}

function unlessThere(error: unknown): void {
  if (!hasStatus(error, 409)) throw error;
}
