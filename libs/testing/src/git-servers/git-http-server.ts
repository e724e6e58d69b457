import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GitHttpServerOptions {
  /** Folder with bare repositories; `<name>.git` in it is served at `/<name>.git`. */
  repositories: string;
  /** Basic authentication that every request needs. */
  credentials?: { username: string; password: string };
  /** Sees each request first; true when it has answered it. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface GitHttpServer {
  /** Without a slash at the end. */
  url: string;
  /** Replaces the credentials, as when a token is revoked. */
  requireCredentials(credentials: GitHttpServerOptions['credentials']): void;
  stop(): Promise<void>;
}

/** Git's smart HTTP protocol, spoken by `git http-backend`, on a free loopback port. Everybody let in may push. */
export async function startGitHttpServer(options: GitHttpServerOptions): Promise<GitHttpServer> {
  let { credentials } = options;
  const server = createServer((request, response) => {
    if (options.intercept?.(request, response)) return;
    if (credentials && request.headers.authorization !== basic(credentials)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('no');
    } else {
      serve(request, response, options.repositories);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requireCredentials: (next) => (credentials = next),
    stop,
  };
}

const basic = ({ username, password }: { username: string; password: string }) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** The Common Gateway Interface (RFC 3875). */
function serve(request: IncomingMessage, response: ServerResponse, repositories: string): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const { headers } = request;
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      GIT_PROJECT_ROOT: repositories,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      REMOTE_USER: 'tester',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: headers['content-type'] ?? '',
      CONTENT_LENGTH: headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
    },
  });
  request.pipe(child.stdin).on('error', () => undefined);
  response.on('close', () => child.kill());
  let head = Buffer.alloc(0);
  const readHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    child.stdout.off('data', readHead);
    response.writeHead(...statusAndHeaders(head.toString('latin1', 0, end)));
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  };
  child.stdout.on('data', readHead);
  child.on('close', () => response.end());
}

function statusAndHeaders(head: string): [number, Record<string, string>] {
  const headers = Object.fromEntries(head.split('\r\n').map((line) => line.split(/: */, 2) as [string, string]));
  const { Status: status = '200', ...others } = headers;
  return [Number.parseInt(status, 10), others];
}
