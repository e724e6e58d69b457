import type { ApiClient, ApiReply } from './api-client';
import { uniqueName } from './story';

/** Writers that go on until they are stopped, each write tried again under its key until it is acknowledged. */
export class AcknowledgedWrites {
  readonly keys: string[] = [];
  readonly files: string[] = [];
  private stopped = false;
  private readonly writers: Promise<void>[];

  constructor(
    private readonly admin: ApiClient,
    private readonly deploymentId: number,
  ) {
    this.writers = [this.writeKeys(), this.writeFiles(), this.writeKeys(), this.writeFiles()];
  }

  get count(): number {
    return this.keys.length + this.files.length;
  }

  /** Ends the load; every write that was begun is acknowledged by then. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.writers);
  }

  /** Acknowledged writes that are not there. */
  async lost(): Promise<string[]> {
    const path = { deploymentId: this.deploymentId };
    const { items } = await this.admin.call('listApiKeys', { query: { first: 500 } });
    const hashes = await this.admin.call('fileHashes', { path });
    const there = new Set([...items.map(({ name }) => name), ...Object.keys(hashes)]);
    return [...this.keys, ...this.files].filter((name) => !there.has(name));
  }

  private async writeKeys(): Promise<void> {
    while (!this.stopped && this.keys.length < 200) {
      const name = uniqueName('acknowledged');
      await acknowledged((headers) => this.admin.attempt('createApiKey', { body: { name }, headers }));
      this.keys.push(name);
    }
  }

  private async writeFiles(): Promise<void> {
    const path = { deploymentId: this.deploymentId };
    while (!this.stopped) {
      const file = { path: `model/${uniqueName('file').replace(' ', '-')}.yml`, content: 'cubes: []\n' };
      await acknowledged((headers) => this.admin.attempt('updateFiles', { path, body: { files: [file] }, headers }));
      this.files.push(file.path);
    }
  }
}

const DEADLINE_MS = 45_000;

/** Sends the request under one key until it has succeeded, as a careful client does. */
async function acknowledged(send: (headers: Record<string, string>) => Promise<ApiReply>): Promise<void> {
  const headers = { 'idempotency-key': uniqueName('key').replace(' ', '-') };
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const reply = await send(headers).catch((error: unknown) => error as Error);
    if (!(reply instanceof Error) && reply.status === 200) return;
    if (Date.now() > deadline) throw new Error(`not acknowledged in time: ${JSON.stringify(reply)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
