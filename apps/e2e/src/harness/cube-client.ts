import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { basename, join, relative, sep } from 'node:path';
import { validateReply } from '@plinth/contract';
import { operationFor } from './api-client';

type Json = Record<string, unknown>;

export interface ClientReply {
  status: number;
  /** Parsed body; null when it is blank. */
  body: unknown;
}

export interface DeployOptions {
  branch?: string;
  keepMissing?: boolean;
  message?: string;
}

interface Payload {
  type?: string;
  bytes: Buffer;
}

/** Query of a request; a flag that is not given is absent. */
const queryOf = (values: Record<string, string | undefined>): string => {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
};

/** Keys in alphabetical order, as the client's JSON library writes them. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sorted((value as Json)[key])]),
        )
      : value;

const skipped = (name: string): boolean =>
  (name.startsWith('.') && name !== '.gitignore') || name === 'node_modules' || name === 'dashboard-app';

/**
 * Sends what the public command-line client sends, byte for byte: its headers, its key order, its forms, its empty bodies;
 * and takes a reply as it does.
 */
export class CubeClient {
  /** `METHOD path` of every request made. */
  readonly requests: string[] = [];

  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
    private readonly deploymentId: number,
  ) {}

  private get model(): string {
    return `/build/api/v1/deployments/${this.deploymentId}`;
  }

  /** @throws Error with the status and the text that the client shows, for every reply but a 2xx with JSON */
  async json(method: string, path: string, body?: Json): Promise<unknown> {
    const bytes = body && Buffer.from(JSON.stringify(sorted(body)));
    return this.expect(method, path, bytes ? { type: 'application/json', bytes } : { bytes: Buffer.alloc(0) });
  }

  /** A command below the prefix of the data model. */
  command(method: string, path: string, body?: Json): Promise<unknown> {
    return this.json(method, this.model + path, body);
  }

  /** `cube deploy`: hashes, start, one form for each file that differs, finish. */
  async deploy(directory: string, { branch, keepMissing = false, message }: DeployOptions = {}): Promise<unknown> {
    const files = collect(directory);
    if (files.length === 0) throw new Error('no files');
    const base = `${this.model}/data-model`;
    const hashes = (await this.json('GET', `${base}/file-hashes${queryOf({ branchName: branch })}`)) as Json;
    const known = (hashes['files'] ?? hashes) as Record<string, { hash?: string } | undefined>;
    const started = (await this.json('POST', `${base}/upload/start`, branch ? { branchName: branch } : {})) as Json;
    const transaction = started['transaction'] ?? started;
    for (const { path, bytes, hash } of files) {
      if (known[path]?.hash !== hash) await this.upload(`${base}/upload/file`, transaction, path, bytes);
    }
    return this.json('POST', `${base}/upload/finish`, {
      transaction,
      files: Object.fromEntries(files.map(({ path, hash }) => [path, { hash }])),
      autoRemoveFiles: !keepMissing,
      ...(message && { commitMessage: message }),
      ...(branch && { branchName: branch }),
    });
  }

  private async upload(path: string, transaction: unknown, fileName: string, bytes: Buffer): Promise<void> {
    const boundary = `${randomUUID()}-${randomUUID()}`;
    const text = (name: string, value: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const head =
      text('transaction', JSON.stringify(sorted(transaction))) +
      text('fileName', fileName) +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${basename(fileName)}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n';
    const form = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    await this.expect('POST', path, { type: `multipart/form-data; boundary=${boundary}`, bytes: form });
  }

  private async expect(method: string, path: string, payload: Payload): Promise<unknown> {
    const { status, body } = await this.send(method, path, payload);
    if (status < 200 || status >= 300) {
      const { message, error } = (body ?? {}) as { message?: string; error?: string };
      throw new Error(`${status}: ${message || error || JSON.stringify(body)}`);
    }
    return body;
  }

  private send(method: string, path: string, { type, bytes }: Payload): Promise<ClientReply> {
    this.requests.push(`${method} ${path}`);
    const scheme = this.token.startsWith('sk-') ? 'Api-Key' : 'Bearer';
    const headers = {
      authorization: `${scheme} ${this.token}`,
      'user-agent': 'cube-cli/1.7.16',
      accept: '*/*',
      ...(type && { 'content-type': type }),
      ...(method !== 'GET' && { 'content-length': bytes.length }),
    };
    return new Promise((resolve, reject) => {
      const call = httpRequest(this.baseUrl + path, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const reply = { status: response.statusCode ?? 0, body: text.trim() === '' ? null : JSON.parse(text) };
          const described = operationFor(method, path);
          const problems = described ? validateReply(described.operationId, reply.status, reply.body ?? undefined) : [];
          if (problems.length > 0) reject(new Error(`${method} ${path}: ${JSON.stringify(problems)}`));
          else resolve(reply);
        });
        response.on('error', reject);
      });
      call.on('error', reject);
      call.end(bytes);
    });
  }
}

/** What the client finds in a folder, in path order; links are followed. */
function collect(directory: string): { path: string; bytes: Buffer; hash: string }[] {
  const walk = (folder: string): string[] =>
    readdirSync(folder)
      .filter((name) => !skipped(name))
      .flatMap((name) => {
        const path = join(folder, name);
        return statSync(path).isDirectory() ? walk(path) : [path];
      });
  const files = walk(directory).map((file) => {
    const bytes = readFileSync(file);
    const hash = createHash('sha1').update(bytes).digest('hex');
    return { path: relative(directory, file).split(sep).join('/'), bytes, hash };
  });
  return files.sort((left, right) => (left.path < right.path ? -1 : 1));
}
