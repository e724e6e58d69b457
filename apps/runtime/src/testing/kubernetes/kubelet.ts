import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { V1Container, V1PodSpec } from '@kubernetes/client-node';
import { own, readLines, spawnOwned } from '@plinth/streams';
import type { KubernetesObject, ObjectStore } from './object-store';

/** The command of an image; undefined for one that no registry has. */
export type Images = (image: string) => { command: string; args: readonly string[] } | undefined;

export interface LoggedLine {
  time: string;
  text: string;
}

const PROBE_MS = 50;
const LINE_LIMIT = 1 << 20;

/** Runs the one pod of a deployment as a process, again and again, until it is deleted. */
export class Pod {
  readonly name: string;
  /** Of the container that runs, and of the one before it. */
  lines: LoggedLine[] = [];
  previous: LoggedLine[] = [];
  onLine: (() => void)[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'plinth-pod-'));
  private readonly spec: V1PodSpec;
  private readonly ending = new AbortController();
  private child: ChildProcess | undefined;
  private restarts = 0;
  private lastState: object = {};
  readonly ended: Promise<void>;

  constructor(
    private readonly store: ObjectStore,
    private readonly deployment: KubernetesObject,
    private readonly images: Images,
  ) {
    const { name, namespace } = deployment.metadata;
    const { template } = deployment.spec as { template: { metadata: object; spec: V1PodSpec } };
    this.name = `${name}-${randomBytes(3).toString('hex')}`;
    this.spec = template.spec;
    const metadata = {
      ...template.metadata,
      name: this.name,
      namespace,
      uid: this.name,
      creationTimestamp: new Date().toISOString(),
      ownerReferences: [{ uid: deployment.metadata.uid }],
    };
    store.put({ apiVersion: 'v1', kind: 'Pod', metadata, spec: {} } as unknown as KubernetesObject);
    this.ended = this.run().finally(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async stop(): Promise<void> {
    this.ending.abort();
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  private get container(): V1Container {
    const [container] = this.spec.containers;
    if (!container) throw new Error('A pod without containers');
    return container;
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    const program = this.images(this.container.image ?? '');
    if (!program) return this.tell({ waiting: { reason: 'ErrImagePull' } }, false);
    while (!signal.aborted) {
      this.mount();
      const end = await this.start(program);
      if (signal.aborted) return;
      this.previous = this.lines;
      this.lines = [];
      this.restarts += 1;
      this.lastState = { terminated: end };
      this.tell({ waiting: { reason: 'CrashLoopBackOff' } }, false);
      await delay(PROBE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** What the volumes name is there before the deployment. */
  private mount(): void {
    const sources = (this.spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
    for (const { configMap } of sources) {
      const { data = {}, binaryData = {} } = this.store.get('ConfigMap', configMap?.name ?? '');
      const items = configMap?.items ?? Object.keys(data).map((key) => ({ key, path: key }));
      for (const { key, path } of items) this.write(path, data[key], binaryData[key]);
    }
  }

  private write(path: string, text = '', encoded?: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), encoded === undefined ? text : Buffer.from(encoded, 'base64'));
  }

  private environment(): Record<string, string> {
    const { env = [], envFrom = [] } = this.container;
    const secrets = envFrom.flatMap(({ secretRef }) =>
      Object.entries(this.store.get('Secret', secretRef?.name ?? '').data ?? {}),
    );
    return {
      ...Object.fromEntries(secrets.map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')])),
      ...Object.fromEntries(env.map(({ name, value = '' }) => [name, value])),
    };
  }

  private async start({ command, args }: { command: string; args: readonly string[] }): Promise<object> {
    const environment = { ...this.environment(), STAND_IN_ADDRESS: this.address(), PATH: '/usr/bin:/bin' };
    const child = (this.child = spawnOwned(command, args, { cwd: this.folder, env: environment }));
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) readLines(stream, LINE_LIMIT, (line) => this.print(line));
    }
    this.tell({ running: {} }, false);
    const exited = new Promise<object>((resolve) =>
      child.once('close', (code, signal) => resolve({ exitCode: code ?? 137, ...(signal && { reason: 'Error' }) })),
    );
    void this.probe(child);
    return exited;
  }

  private async probe(child: ChildProcess): Promise<void> {
    const path = this.container.readinessProbe?.httpGet?.path ?? '/';
    while (child.exitCode === null && child.signalCode === null && !this.ending.signal.aborted) {
      if (await answers(this.address(), path)) return this.tell({ running: {} }, true);
      await delay(PROBE_MS);
    }
  }

  /** Of the service that selects it: nothing is between them here. */
  private address(): string {
    const { labels = {} } = this.store.get('Pod', this.name).metadata;
    const services = this.store.list('Service').filter(({ spec }) => {
      const { selector = {} } = spec as { selector?: Record<string, string> };
      return Object.entries(selector).every(([name, value]) => labels[name] === value);
    });
    return String(services[0]?.spec?.['clusterIP'] ?? '127.0.0.1');
  }

  private print(text: string): void {
    this.lines.push({
      time: `${new Date().toISOString().slice(0, -1)}${String(this.lines.length % 1_000_000).padStart(6, '0')}Z`,
      text,
    });
    for (const hear of this.onLine) hear();
  }

  private tell(state: object, ready: boolean): void {
    const pod = this.store.objects.get(`Pod/${this.name}`);
    if (!pod) return;
    const { image = '', name } = this.container;
    pod.status = {
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [
        { name, image, ready, restartCount: this.restarts, state, lastState: this.lastState, imageID: '' },
      ],
    };
    this.store.put(pod);
  }
}

const answers = (host: string, path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = own(get({ host, port: 4_000, path, agent: false }), () => resolve(false));
    request.once('response', (response) => {
      own(response).resume();
      resolve(response.statusCode === 200);
    });
  });
