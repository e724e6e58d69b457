import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Browser } from './browser';
import type { OAuthServerOptions } from './new-provider';

/** What the server answers to the next token or revocation request instead of what it would. */
export type PreparedAnswer = (response: ServerResponse) => void;

/** A local authorization server (OAuth 2.0 with PKCE, rotation of refresh tokens and revocation), with one client. */
export interface OAuthServer {
  authUrl: string;
  tokenUrl: string;
  revocationUrl: string;
  clientId: string;
  clientSecret: string;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
  /**
   * What a browser does whose user agrees to everything.
   *
   * @returns where the server sends it in the end: the client's redirect URI with a code, or with an error.
   */
  authorise(authorizationUrl: string): Promise<URL>;
  /** Whether the server still accepts the token. */
  isActive(token: string): Promise<boolean>;
  answerNext(...answers: PreparedAnswer[]): void;
  close(): Promise<void>;
}

const clientId = 'plinth';
const clientSecret = 'client-secret-of-the-test-server';

/** Starts the server on a free port of the loopback address. */
export async function startOAuthServer(options: OAuthServerOptions): Promise<OAuthServer> {
  // Loaded by those who need it: the library is large, and it talks to the console.
  const { newProvider } = await import('./new-provider');
  const requests: string[] = [];
  const prepared: PreparedAnswer[] = [];
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    requests.push(`${method} ${url.split('?')[0] ?? ''}`);
    const answer = method === 'POST' && /^\/token($|\/revocation)/.test(url) ? prepared.shift() : undefined;
    if (answer) answer(response);
    else handle(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  handle = newProvider(issuer, { ...options, clientId, clientSecret });
  const credentials = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  return {
    authUrl: `${issuer}/auth`,
    tokenUrl: `${issuer}/token`,
    revocationUrl: `${issuer}/token/revocation`,
    clientId,
    clientSecret,
    requests,
    authorise: (url) => new Browser().follow(url, options.redirectUri),
    isActive: async (token) => {
      const body = new URLSearchParams({ token });
      const headers = { authorization: credentials };
      const reply = await fetch(`${issuer}/token/introspection`, { method: 'POST', headers, body });
      return ((await reply.json()) as { active: boolean }).active;
    },
    answerNext: (...answers) => void prepared.push(...answers),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
