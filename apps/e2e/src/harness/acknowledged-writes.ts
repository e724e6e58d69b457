import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@plinth/testing';
import type { ApiClient, ApiReply } from './api-client';
import { uniqueName } from './story';

/** How long each writer thinks between two writes: that they go on is the point, and not how many there are. */
const PAUSE_MS = 100;

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

  /** Waits until writes are acknowledged again, and ends the load. Answers those acknowledged that are not there. */
  async lostOnceTheyGoOn(): Promise<string[]> {
    const before = this.count;
    await until(
      'writes to go on',
      async () => this.count,
      (count) => count > before + 4,
    );
    await this.stop();
    return this.lost();
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
      await pause(PAUSE_MS);
    }
  }

  private async writeFiles(): Promise<void> {
    const path = { deploymentId: this.deploymentId };
    while (!this.stopped) {
      const file = { path: `model/${uniqueName('file').replace(' ', '-')}.yml`, content: 'cubes: []\n' };
      await acknowledged((headers) => this.admin.attempt('updateFiles', { path, body: { files: [file] }, headers }));
      this.files.push(file.path);
      await pause(PAUSE_MS);
    }
  }
}

/** Sends the request under one key until it has succeeded, as a careful client does. */
async function acknowledged(send: (headers: Record<string, string>) => Promise<ApiReply>): Promise<void> {
  const headers = { 'idempotency-key': uniqueName('key').replace(' ', '-') };
  const attempt = () => send(headers).catch(String);
  await until('the acknowledgement', attempt, (reply) => typeof reply !== 'string' && reply.status === 200, 45_000);
}
