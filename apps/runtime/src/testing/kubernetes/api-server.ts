import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { own } from '@plinth/streams';
import { Pod, type Images } from './kubelet';
import { ObjectStore, Refusal, type KubernetesObject } from './object-store';
import { isAllowed } from './role';

const NAMESPACE = 'plinth-engines';
const TOKEN = 'the token of the service account';
const KINDS: Readonly<Record<string, string>> = {
  services: 'Service',
  secrets: 'Secret',
  configmaps: 'ConfigMap',
  pods: 'Pod',
  deployments: 'Deployment',
  networkpolicies: 'NetworkPolicy',
};
const PATH = /^\/(?:api\/v1|apis\/[a-z.0-9]+\/v1)\/namespaces\/([^/]+)\/([a-z]+)(?:\/([^/]+))?(?:\/(log))?$/;
const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** Answers in place of the API server: a status, or `hang` for none at all. */
export type Trouble = (call: { verb: string; resource: string; name: string }) => number | 'hang' | undefined;

interface Asked {
  verb: string;
  resource: string;
  name: string;
  log: boolean;
  query: URLSearchParams;
}

/**
 * Stands in for a Kubernetes cluster: an API server that checks every manifest by the published schemas and every call by
 * the role that the chart gives to runtimes, a garbage collector, and nodes that run pods as processes.
 */
export class ApiServer {
  readonly namespace = NAMESPACE;
  /** Calls so far, as `create services`. */
  readonly calls: string[] = [];
  trouble: Trouble = () => undefined;
  private readonly store = new ObjectStore((object, how) => this.follow(object, how));
  private readonly pods = new Map<string, Pod>();
  private readonly server = createServer((request, response) => {
    own(request);
    void this.answer(own(response), request);
  });
  private readonly folder = mkdtempSync(join(tmpdir(), 'plinth-cluster-'));

  private constructor(private readonly images: Images) {}

  static async start(images: Images): Promise<ApiServer> {
    const cluster = new ApiServer(images);
    cluster.server.listen(0, '127.0.0.1');
    await once(cluster.server, 'listening');
    writeFileSync(cluster.configFile, cluster.configuration());
    return cluster;
  }

  /** Path of a kubeconfig. */
  get configFile(): string {
    return join(this.folder, 'kubeconfig');
  }

  list(kind: string): KubernetesObject[] {
    return this.store.list(kind);
  }

  /** The one pod that runs. */
  get pod(): Pod {
    const [pod] = this.pods.values();
    if (!pod) throw new Error('No pod runs');
    return pod;
  }

  /** Changes an object behind everybody's back. */
  touch(kind: string, name: string, patch: Partial<KubernetesObject>): void {
    this.store.patch(kind, name, patch);
  }

  /** Ends the streams of logs, as API servers do after a while. */
  endStreams(): void {
    this.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await Promise.all([...this.pods.values()].map((pod) => pod.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private configuration(): string {
    const { port } = this.server.address() as AddressInfo;
    const cluster = { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true };
    return JSON.stringify({
      clusters: [{ name: 'test', cluster }],
      users: [{ name: 'runtime', user: { token: TOKEN } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'runtime' } }],
      'current-context': 'test',
    });
  }

  private async answer(response: ServerResponse, request: IncomingMessage): Promise<void> {
    try {
      const asked = this.asked(request);
      const body = (request.method === 'GET' ? {} : await json(request)) as KubernetesObject;
      this.calls.push(`${asked.verb} ${asked.resource}${asked.log ? '/log' : ''}`);
      const trouble = this.trouble(asked);
      if (trouble === 'hang') return;
      if (trouble !== undefined) throw new Refusal(trouble, 'Trouble');
      if (asked.log) return this.streamLog(response, asked);
      const reply = this.carryOut(asked, body);
      response.writeHead(asked.verb === 'create' ? 201 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply));
    } catch (error) {
      const { code, reason, message } =
        error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message }));
    }
  }

  private asked({ method = 'GET', url = '/', headers }: IncomingMessage): Asked {
    if (headers.authorization !== `Bearer ${TOKEN}`) throw new Refusal(401, 'Unauthorized');
    const { pathname, searchParams: query } = new URL(url, 'http://cluster');
    const { namespace, resource, name, log } = placeOf(pathname);
    const verb = VERBS[method] ?? (name === '' ? 'list' : 'get');
    const target = log ? `${resource}/log` : resource;
    if (namespace !== NAMESPACE || !isAllowed(verb, target)) throw new Refusal(403, 'Forbidden', `${verb} ${target}`);
    return { verb, resource, name, log, query };
  }

  private carryOut({ verb, resource, name, query }: Asked, body: KubernetesObject): unknown {
    const kind = KINDS[resource] ?? '';
    if (verb === 'create') return this.store.create(withAddress(body), NAMESPACE);
    if (verb === 'update') return this.store.replace(body, NAMESPACE);
    if (verb === 'patch') return this.store.patch(kind, name, body);
    if (verb === 'get') return this.store.get(kind, name);
    if (verb === 'delete') {
      const { preconditions } = body as unknown as { preconditions?: { uid?: string; resourceVersion?: string } };
      return this.store.delete(kind, name, preconditions);
    }
    const items = this.store.list(kind, query.get('labelSelector') ?? '');
    return { kind: `${kind}List`, apiVersion: 'v1', metadata: {}, items };
  }

  private streamLog(response: ServerResponse, { name, query }: Asked): void {
    const pod = [...this.pods.values()].find((each) => each.name === name);
    if (!pod) throw new Refusal(404, 'NotFound');
    const lines = query.get('previous') === 'true' ? pod.previous : pod.lines;
    const since = query.get('sinceTime') ?? '';
    let sent = 0;
    const send = (): void => {
      for (const { time, text } of lines.slice(sent)) if (time >= since) response.write(`${time} ${text}\n`);
      sent = lines.length;
      if (lines !== pod.lines && lines !== pod.previous) response.end();
    };
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    send();
    if (query.get('follow') !== 'true') return void response.end();
    pod.onLine.push(send);
    response.once('close', () => (pod.onLine = pod.onLine.filter((each) => each !== send)));
    void pod.ended.then(() => response.end());
  }

  private follow(object: KubernetesObject, how: 'added' | 'deleted'): void {
    const { kind, metadata } = object;
    if (kind !== 'Deployment') return;
    if (how === 'added') this.pods.set(metadata.uid, new Pod(this.store, object, this.images));
    else {
      const pod = this.pods.get(metadata.uid);
      this.pods.delete(metadata.uid);
      void pod?.stop();
    }
  }
}

function placeOf(pathname: string): { namespace: string; resource: string; name: string; log: boolean } {
  const [, namespace, resource = '', name = '', log] = PATH.exec(pathname) ?? [];
  if (namespace === undefined || !KINDS[resource]) throw new Refusal(404, 'NotFound');
  return { namespace, resource, name, log: log !== undefined };
}

/** Every service has an address of its own on the loopback network. */
function withAddress(body: KubernetesObject): KubernetesObject {
  if (body.kind !== 'Service') return body;
  const clusterIP = `127.${randomInt(1, 255)}.${randomInt(0, 255)}.${randomInt(1, 255)}`;
  return { ...body, spec: { ...body.spec, clusterIP } };
}
