import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newAppCredentials, type GithubAppCredentials } from './app-credentials';
import { GithubState, type GithubAccount, type GithubRepository } from './github-state';
import { notFound, problem, readJson, send, type Answer } from './http-exchange';
import { routesOf, type Route } from './routes';

/** A webhook as GitHub sends it. */
export interface GithubDelivery {
  headers: Record<string, string>;
  body: string;
}

/** A local server with the REST API of GitHub Enterprise: `/api/v3` beside the web pages. */
export interface GithubServer {
  webUrl: string;
  apiUrl: string;
  app: GithubAppCredentials;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
  /** Every token and code that the server gave out. */
  readonly secrets: readonly string[];
  install(account: { login: string; type?: GithubAccount['type'] }): number;
  suspend(installationId: number): void;
  addRepository(installationId: number, repository: NewRepository): GithubRepository;
  /** Makes a user a member of an organisation, or its owner, and returns a code of their authorisation. */
  authorise(login: string, organisations: Record<string, 'admin' | 'member'>): string;
  /** Whether the token of an installation opens the repository; for a git server beside this one. */
  opens(token: string, fullName: string): boolean;
  /** Answers the next requests in this way instead. */
  answerNext(...answers: Answer[]): void;
  /** Answers every request with 503 while the work is under way. */
  outage<Result>(work: () => Promise<Result>): Promise<Result>;
  delivery(event: string, payload: object): GithubDelivery;
  /** The signature header of a webhook with this body. */
  sign(body: string): string;
  close(): Promise<void>;
}

export type NewRepository = Pick<GithubRepository, 'name'> & Partial<GithubRepository>;

export interface GithubServerOptions {
  /** Where a repository is cloned from; a page of this server when absent. */
  cloneUrl?: (fullName: string) => string;
  /** Called when a client creates a repository. */
  onCreated?: (repository: GithubRepository) => Promise<void> | void;
}

const API = '/api/v3';
const down: Answer = { status: 503, body: { message: 'down' } };

/** Starts the server on a free port, with an App of its own and no installations. */
export async function startGithubServer({ cloneUrl, onCreated }: GithubServerOptions = {}): Promise<GithubServer> {
  const app = newAppCredentials();
  const state = new GithubState();
  const requests: string[] = [];
  const prepared: Answer[] = [];
  let webUrl = '';
  let isDown = false;
  const routes = routesOf({
    app,
    state,
    webUrl: () => webUrl,
    cloneUrl: cloneUrl ?? ((fullName) => `${webUrl}/${fullName}.git`),
    onCreated: onCreated ?? (() => undefined),
  });
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const answered = isDown ? Promise.resolve(down) : answerTo(request, routes, prepared);
    void answered.then((answer) => send(response, answer), failed(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  webUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    webUrl,
    apiUrl: webUrl + API,
    app,
    requests,
    secrets: state.secrets,
    install: ({ login, type = 'Organization' }) => {
      const id = state.nextId();
      const account = { id: state.nextId(), login, type };
      state.installations.set(id, { id, account, suspended: false, repositories: [] });
      return id;
    },
    suspend: (installationId) => void (installationOf(state, installationId).suspended = true),
    addRepository: (installationId, { name, ...more }) => {
      const { account, repositories } = installationOf(state, installationId);
      const defaults = { id: state.nextId(), private: true, defaultBranch: 'main', branches: ['main'] };
      const repository = { ...defaults, name, fullName: `${account.login}/${name}`, ...more };
      repositories.push(repository);
      return repository;
    },
    authorise: (login, organisations) => {
      state.memberships.set(login, new Map(Object.entries(organisations)));
      return state.issueCode(login);
    },
    opens: (token, fullName) => {
      const repository = state.findRepository(fullName)?.repository;
      const grant = state.grantOf(token);
      if (!repository || !grant?.installation.repositories.includes(repository)) return false;
      return grant.repositoryIds?.includes(repository.id) ?? true;
    },
    answerNext: (...answers) => void prepared.push(...answers),
    outage: async (work) => {
      isDown = true;
      return work().finally(() => (isDown = false));
    },
    delivery: (event, payload) => deliveryOf(app, event, JSON.stringify(payload)),
    sign: (body) => signatureOf(app, body),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answerTo(request: IncomingMessage, routes: readonly Route[], prepared: Answer[]): Promise<Answer> {
  const body = await readJson(request);
  const instead = prepared.shift();
  if (instead) return instead;
  const url = new URL(request.url ?? '', `http://${request.headers.host}`);
  const path = url.pathname.startsWith(API) ? url.pathname.slice(API.length) : url.pathname;
  const token = request.headers.authorization?.replace(/^(bearer|token) /i, '') ?? '';
  for (const [method, pattern, handler] of routes) {
    const match = method === request.method ? pattern.exec(path) : null;
    if (match) return handler({ method, url, groups: match.slice(1).map(decodeURIComponent), token, body });
  }
  return notFound;
}

const failed = (response: ServerResponse) => (error: unknown) => send(response, problem(500, String(error)));

const signatureOf = ({ webhookSecret }: GithubAppCredentials, body: string): string =>
  `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`;

const deliveryOf = (app: GithubAppCredentials, event: string, body: string): GithubDelivery => ({
  body,
  headers: {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/test',
    'x-github-event': event,
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': signatureOf(app, body),
  },
});

function installationOf(state: GithubState, id: number) {
  const installation = state.installations.get(id);
  if (!installation) throw new Error(`The server has no installation ${id}`);
  return installation;
}
