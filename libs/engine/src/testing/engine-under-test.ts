import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Sandbox } from '@plinth/sandbox';
import { SignJWT } from 'jose';
import { engineCommand, type EngineLimits, type EngineOrder, type EngineReport, type PrepareOrder } from '../index';

export interface EngineSettings {
  /** Files of the model by their paths. */
  model: Readonly<Record<string, string>>;
  /** Connection string of its PostgreSQL. */
  database: string;
  configuration?: string;
  transpiled?: EngineOrder['transpiled'];
  checked?: boolean;
  variables?: Readonly<Record<string, string>>;
  tokenPaths?: Readonly<Record<string, string>>;
  limits?: Partial<EngineLimits>;
  privateAddresses?: boolean;
  /** Has it wait for its order, as a runtime's spare ones do; called while it waits. */
  whileWaiting?: (engine: EngineUnderTest) => Promise<void>;
}

export interface Answer {
  status: number;
  body: Record<string, unknown> & { data?: unknown; error?: string };
  text: string;
}

export interface Ask {
  body?: unknown;
  context?: Readonly<Record<string, unknown>>;
  signal?: AbortSignal;
  token?: string | undefined;
}

const SECRET = 'a secret of this engine alone, for tests';
const LIMITS: EngineLimits = {
  defaultRows: 10_000,
  maxRows: 50_000,
  queryMs: 30_000,
  concurrency: 4,
  cacheBytes: 16 << 20,
  modelMemoryBytes: 256 << 20,
  modelCallMs: 20_000,
};
const HEAP_MB = 512;
const users = { first: 64_000, last: 64_999 };
let wall: Promise<Sandbox> | undefined;

/** Variables that a deployment on a PostgreSQL has. */
function postgresVariables(connection: string): Record<string, string> {
  const url = new URL(connection);
  return {
    CUBEJS_DB_TYPE: 'postgres',
    CUBEJS_DB_HOST: url.hostname,
    CUBEJS_DB_PORT: url.port || '5432',
    CUBEJS_DB_NAME: url.pathname.slice(1),
    CUBEJS_DB_USER: decodeURIComponent(url.username),
    CUBEJS_DB_PASS: decodeURIComponent(url.password),
  };
}

/** The engine's program, started as a runtime starts it. */
export class EngineUnderTest {
  readonly reports: EngineReport[] = [];
  readonly exited: Promise<unknown>;
  /** Connections are kept, as a runtime keeps them: what a server closes after its answer may be lost with the last write. */
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(
    readonly child: ChildProcessWithoutNullStreams,
    private readonly folder: string,
  ) {
    this.exited = once(child, 'exit');
    createInterface({ input: child.stdout }).on('line', (line) => this.reports.push(JSON.parse(line) as EngineReport));
    child.stderr.on('data', (chunk: Buffer) => void process.stderr.write(chunk));
  }

  /** Resolves when it is ready, or has said why it is not. */
  static async start(settings: EngineSettings): Promise<EngineUnderTest> {
    const { kind } = await (wall ??= Sandbox.open());
    const folder = mkdtempSync(join(tmpdir(), 'plinth-engine-'));
    const { command, args } = engineCommand(HEAP_MB);
    const engine = new EngineUnderTest(spawn(command, args, { env: {}, stdio: 'pipe' }), folder);
    const order: EngineOrder = {
      socketPath: engine.socketPath,
      tokenSecret: SECRET,
      variables: { ...postgresVariables(settings.database), ...settings.variables },
      tokenPaths: settings.tokenPaths ?? {},
      model: Object.entries(settings.model).map(([path, content]) => ({ path, content })),
      modelRoot: 'model/',
      configuration: settings.configuration,
      transpiled: settings.transpiled ?? [],
      checked: settings.checked ?? false,
      limits: { ...LIMITS, ...settings.limits },
      sandbox: { kind, users },
      privateAddresses: settings.privateAddresses ?? true,
    };
    engine.child.stdin.on('error', () => undefined);
    if (settings.whileWaiting) {
      const { limits, sandbox } = order;
      engine.say({ kind: 'prepare', limits, sandbox });
      await settings.whileWaiting(engine);
    }
    engine.say(order);
    await engine.reported((report) => ['ready', 'broken', 'failed'].includes(report.kind));
    return engine;
  }

  private say(order: EngineOrder | PrepareOrder): void {
    this.child.stdin.write(`${JSON.stringify(order)}\n`);
  }

  get socketPath(): string {
    return join(this.folder, 'engine.sock');
  }

  /** The first report of the kind that is wanted, which may still have to come. */
  async reported(wanted: (report: EngineReport) => boolean): Promise<EngineReport> {
    for (;;) {
      const found = this.reports.find(wanted);
      if (found) return found;
      const next = once(this.child.stdout, 'data').then(() => true);
      if (!(await Promise.race([next, this.exited.then(() => false)]))) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const late = this.reports.find(wanted);
    if (late) return late;
    throw new Error(`The engine ended: ${JSON.stringify(this.reports)}`);
  }

  async ask(path: string, { body, context = {}, signal, token }: Ask = {}): Promise<Answer> {
    const authorization = token ?? (await tokenFor(context));
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const call = request({
      socketPath: this.socketPath,
      path,
      agent: this.agent,
      method: sent === undefined ? 'GET' : 'POST',
      headers: { authorization, ...(sent !== undefined && { 'content-type': 'application/json' }) },
      ...(signal && { signal }),
    });
    call.end(sent);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const received = await text(response);
    return { status: response.statusCode ?? 0, body: bodyOf(received), text: received };
  }

  load(query: object, context: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.ask('/cubejs-api/v1/load', { body: { query }, context });
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    this.child.stdin.end();
    await this.exited;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function tokenFor(context: Readonly<Record<string, unknown>>, lifetime = '1m'): Promise<string> {
  return new SignJWT(context)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime(lifetime)
    .sign(new TextEncoder().encode(SECRET));
}

function bodyOf(received: string): Answer['body'] {
  try {
    return JSON.parse(received) as Answer['body'];
  } catch {
    return {};
  }
}
