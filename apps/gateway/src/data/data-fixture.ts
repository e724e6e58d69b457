import type { BodyOf, Schemas } from '@plinth/contract';
import { type AppError } from '@plinth/errors';
import type { Call, StreamReply } from '@plinth/messaging';
import { startNatsServer } from '@plinth/testing';
import request, { type Test } from 'supertest';
import { startEdge, type RunningEdge } from '../http/edge-fixture';
import { RateLimiter } from '../limits/rate-limiter';
import { closeUnread } from '../http/unread-body';
import { DataCredentials } from './data-credentials';
import { DataPlaces } from './data-places';
import { DataHandler } from './data.handler';
import { DataRouter } from './data.router';

export const transports = ['in-process', 'NATS'] as const;

export const DEPLOYMENT = 7;
export const DEPLOYMENT_HOST = 'deployment-7.local.localhost';
/** A token of the deployment by its form; what it opens is the test's to say. */
export const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl';
export const REQUESTS_PER_MINUTE = 30;

export const ACCESS: Schemas['DataAccess'] = {
  tokenId: 'token-1',
  userId: 5,
  purpose: 'deployment',
  scopes: [],
  securityContext: { cubeCloud: { userId: 5 } },
  validForMs: 60_000,
};

type Verdict = Schemas['VerifyDataTokenReply'];
type Engine = (call: Call<'queryEngine'>) => Promise<StreamReply>;

/** The data family of a gateway, with a control plane and an engine that answer as the test says. */
export interface DataEdge extends RunningEdge {
  /** What tokens open; all of them everything, unless the test says otherwise. */
  verdict: (request: BodyOf<'verifyDataToken'>) => Verdict;
  engine: Engine;
  /** Environments by their branches; production under `main`. */
  environments: Schemas['LocatedEnvironment'][];
  /** Operations that were asked, in their order. */
  asked: string[];
  /** What the engine was asked, in its order. */
  queries: BodyOf<'queryEngine'>[];
  get(path: string, host?: string): Test;
  post(path: string, host?: string): Test;
}

export const replyOf = (text: string, headers: Record<string, string> = {}): StreamReply => ({
  headers: { status: '200', 'content-type': 'application/json; charset=utf-8', ...headers },
  stream: [Buffer.from(text)] as never,
});

async function* chunksOf(reply: StreamReply): AsyncGenerator<Uint8Array> {
  yield* reply.stream;
}

export const refusing = (refusal: Verdict['refusal']) => (): Verdict => ({
  access: null,
  ...(refusal && { refusal }),
});

/** Tenant 1 has the deployment, of which the rest of the world knows nothing; other hosts are tenant 2's. */
export async function startDataEdge(
  transport: (typeof transports)[number],
  credentialCacheMs = 750,
): Promise<DataEdge> {
  const nats = transport === 'NATS' ? await startNatsServer() : undefined;
  const asked: string[] = [];
  const queries: BodyOf<'queryEngine'>[] = [];
  const edge = await startEdge(
    {
      resolveTenant: async ({ body: { host } }) => {
        if (host === 'nobody.example') return { tenant: null };
        if (host === DEPLOYMENT_HOST) return { tenant: { tenantId: 1, tenantName: 'acme' }, deploymentId: DEPLOYMENT };
        return { tenant: { tenantId: host === 'other.example' ? 2 : 1, tenantName: host } };
      },
      locateEnvironment: async ({ principal, body: { deploymentId, branchName } }) => {
        asked.push('locateEnvironment');
        if (principal.tenantId !== 1 || deploymentId !== DEPLOYMENT) return { environment: null };
        const found = running.environments.find((each) => each.branchName === (branchName ?? 'main'));
        return { environment: found ?? null };
      },
      verifyDataToken: async ({ body }) => {
        asked.push('verifyDataToken');
        return running.verdict(body);
      },
      queryEngine: async (call) => {
        asked.push('queryEngine');
        queries.push(call.body);
        const reply = await running.engine(call);
        return { ...reply, stream: chunksOf(reply) };
      },
    },
    (application, { bus, edge: entry, failures }) => {
      const handler = new DataHandler({
        edge: entry,
        bus,
        failures,
        router: new DataRouter(''),
        places: new DataPlaces(bus, failures, 60_000),
        credentials: new DataCredentials(bus, failures, credentialCacheMs),
        rateLimiter: new RateLimiter(REQUESTS_PER_MINUTE),
      });
      application.set('trust proxy', false);
      application.use(closeUnread, (incoming, response, next) => {
        if (!handler.serveData(incoming, response)) next();
      });
      const platform = (thrown: AppError) => ({ headers: {}, text: thrown.code });
      application.use((incoming, response) => {
        const serve = async () => void response.end('the platform');
        void entry.enter(incoming, response, { dialect: { errorContent: platform }, serve });
      });
    },
    nats?.url,
  );
  const send = (method: 'get' | 'post', path: string, host?: string): Test => {
    const sent = request(edge.origin)[method](path).set('authorization', TOKEN);
    return host === undefined ? sent : sent.set('host', host);
  };
  const running: DataEdge = {
    ...edge,
    verdict: () => ({ access: ACCESS }),
    engine: async () => replyOf('{"data":[]}'),
    environments: [
      { environmentId: 1, branchName: 'main', type: 'production' },
      { environmentId: 2, branchName: 'next', type: 'staging' },
      { environmentId: 3, branchName: 'feature/a b', type: 'development' },
    ],
    asked,
    queries,
    get: (path, host) => send('get', path, host),
    post: (path, host) => send('post', path, host),
    stop: async () => {
      await edge.stop();
      await nats?.stop();
    },
  };
  return running;
}
