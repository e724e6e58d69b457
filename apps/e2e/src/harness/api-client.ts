import { createClient, warningsOf } from '@plinth/client';
import {
  operation,
  operations,
  validateDataReply,
  validateReply,
  type BodyOf,
  type OperationDescription,
  type OperationId,
  type PathOf,
  type QueryOf,
  type ReplyOf,
} from '@plinth/contract';
import request from 'supertest';

export interface ApiReply {
  status: number;
  headers: Record<string, string>;
  /** Parsed JSON, the text of a CSV file, or the bytes of a picture; undefined for an empty body. */
  body: unknown;
}

/** Error body of the platform's API. */
export interface Refusal {
  status: number;
  headers: Record<string, string>;
  error: string;
  message: string;
  code: string;
  requestId: string;
  details?: { path: string; message: string }[];
}

export interface RequestOptions {
  body?: unknown;
  /** Parts of a form; `file` is the one with the bytes and goes last. */
  form?: Readonly<Record<string, string | Buffer>>;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** What an operation takes; everything may be left out, because a test sends wrong requests too. */
export interface OperationRequest<Id extends OperationId> {
  path?: Partial<Record<keyof PathOf<Id>, string | number>>;
  query?: Partial<QueryOf<Id>>;
  body?: BodyOf<Id>;
  /** Content of the file, for operations that take a form. */
  file?: string | Buffer;
  headers?: Record<string, string>;
}

/**
 * Speaks to the platform as a client would, and checks every reply of a known operation against the contract:
 * a reply that the document does not describe fails the test that received it.
 */
export class ApiClient {
  constructor(
    readonly baseUrl: string,
    private readonly authorization?: string,
    private readonly host?: string,
  ) {}

  /** The Authorization header that this client sends. */
  get credential(): string {
    return this.authorization ?? '';
  }

  /** The same server with another credential; `undefined` sends none. */
  as(authorization: string | undefined): ApiClient {
    return new ApiClient(this.baseUrl, authorization, this.host);
  }

  /** The same server under another host name, which means another tenant. */
  at(host: string, authorization = this.authorization): ApiClient {
    return new ApiClient(this.baseUrl, authorization, host);
  }

  /** The reply of an operation that must succeed. */
  async call<Id extends OperationId>(operationId: Id, request: OperationRequest<Id> = {}): Promise<ReplyOf<Id>> {
    const { status, body } = await this.attempt(operationId, request);
    if (status >= 300) throw new Error(`${operationId} answered ${status}: ${JSON.stringify(body)}`);
    return body as ReplyOf<Id>;
  }

  /** The error of an operation that must be refused. */
  async refusal<Id extends OperationId>(operationId: Id, request: OperationRequest<Id> = {}): Promise<Refusal> {
    const { status, headers, body } = await this.attempt(operationId, request);
    if (status < 400) throw new Error(`${operationId} answered ${status} and was not refused: ${JSON.stringify(body)}`);
    return { ...(body as Omit<Refusal, 'status' | 'headers'>), status, headers };
  }

  /**
   * Whatever an operation answers, asked as `@plinth/client` asks, but once: a test is told of every failure. A request
   * with a misspelt property is a mistake of the test.
   */
  async attempt<Id extends OperationId>(operationId: Id, request: OperationRequest<Id> = {}): Promise<ApiReply> {
    const { method, path, form } = operation(operationId);
    const { query, headers, body, file } = request;
    let reply: ApiReply | undefined;
    const client = createClient({
      baseUrl: this.baseUrl,
      apiKey: '',
      retries: 0,
      fetch: async (outgoing) => {
        reply = await this.carry(outgoing);
        return new Response(null, { status: reply.status, headers: reply.headers });
      },
    });
    const { response } = await (client.request as unknown as UntypedRequest)(method.toLowerCase(), path, {
      params: { path: request.path, query },
      body: form && (body || file !== undefined) ? formOf(body ?? {}, file) : body,
      headers: { ...headers, authorization: this.authorization ?? null },
      parseAs: 'stream',
    });
    const misspelt = warningsOf(response);
    if (misspelt.length > 0) throw new Error(`${operationId} was warned of ${JSON.stringify(misspelt)}`);
    if (!reply) throw new Error(`${operationId} was never sent`);
    return checked(method, path, reply);
  }

  /** On a connection of its own, and to the host that the client speaks of, which `fetch` does not let anybody choose. */
  private async carry(outgoing: Request): Promise<ApiReply> {
    const { pathname, search } = new URL(outgoing.url);
    let pending = this.begin(outgoing.method, `${pathname}${search}`);
    for (const [name, value] of outgoing.headers) pending = pending.set(name, value);
    const bytes = Buffer.from(await outgoing.arrayBuffer());
    if (bytes.length > 0) pending = pending.send(bytes).serialize(asItIs);
    return received(await pending.ok(() => true));
  }

  async send(method: string, path: string, { body, form, query, headers }: RequestOptions = {}): Promise<ApiReply> {
    let pending = this.begin(method, path);
    if (this.authorization !== undefined) pending = pending.set('Authorization', this.authorization);
    if (body !== undefined) pending = pending.type('application/json').send(JSON.stringify(body));
    for (const [name, value] of Object.entries(headers ?? {})) pending = pending.set(name, value);
    if (query) pending = pending.query(query);
    if (form) pending = withForm(pending, form);
    return checked(method, path, received(await pending.ok(() => true)));
  }

  private begin(method: string, path: string): request.Test {
    const pending = request(this.baseUrl)[method.toLowerCase() as 'get'](path).buffer(true);
    return this.host ? pending.set('Host', this.host) : pending;
  }
}

/** The client's `request` without its types, which cannot follow an operation that is not known yet. */
type UntypedRequest = (method: string, path: string, options: object) => Promise<{ response: Response }>;

/** The library would write JSON of the bytes, which are JSON already. */
const asItIs = (bytes: unknown): string => bytes as string;

const received = (response: request.Response): ApiReply => ({
  status: response.status,
  headers: response.headers,
  body: parsed(response),
});

function checked(method: string, path: string, reply: ApiReply): ApiReply {
  if (typeof reply.body !== 'string' && !Buffer.isBuffer(reply.body)) checkContract(method, path, reply);
  return reply;
}

/** The file goes last: what is sent after it is not read. */
function formOf(fields: object, file: string | Buffer = ''): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  form.append('file', new Blob([file]), 'file');
  return form;
}

function withForm(pending: request.Test, { file = '', ...fields }: NonNullable<RequestOptions['form']>): request.Test {
  for (const [name, value] of Object.entries(fields)) pending = pending.field(name, String(value));
  return pending.attach('file', Buffer.from(file), { filename: 'file', contentType: 'application/octet-stream' });
}

/** A body that is no JSON, such as an archive or the lines of an SQL query, stays what it is. */
const parsed = ({ text, type, body }: request.Response): unknown =>
  Buffer.isBuffer(body)
    ? body
    : text && type.endsWith('json') && !text.includes('}\n{')
      ? (JSON.parse(text) as unknown)
      : text || undefined;

function checkContract(method: string, path: string, reply: ApiReply): void {
  const described = operationFor(method, path);
  const [bare = path] = path.split('?');
  const problems = described
    ? validateReply(described.operationId, reply.status, reply.body)
    : validateDataReply(method, bare, reply.status, reply.body);
  if (problems.length === 0) return;
  const list = problems.map((problem) => `${problem.path} ${problem.message}`).join('; ');
  throw new Error(`${method} ${path} answered ${reply.status} outside the contract: ${list}`);
}

const patterns = operations
  .filter(({ internal }) => !internal)
  .map((description) => ({
    description,
    pattern: new RegExp(`^${description.path.replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
    literals: description.path.replace(/\{[^}]+\}/g, '').length,
  }))
  .sort((left, right) => right.literals - left.literals);

/** The operation of the contract that a method and path mean; undefined for everything else. */
export function operationFor(method: string, path: string): OperationDescription | undefined {
  const [bare = path] = path.split('?');
  return patterns.find(({ description, pattern }) => description.method === method && pattern.test(bare))?.description;
}
