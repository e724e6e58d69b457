import { generateKeyPairSync } from 'node:crypto';
import { AppError } from '@plinth/errors';
import type { Call } from '@plinth/messaging';
import request, { type Test } from 'supertest';
import { startEdge, type RunningEdge } from '../http/edge-fixture';
import { RateLimiter } from '../limits/rate-limiter';
import { PublicOrigins } from '../tenants/public-origins';
import { hashOf } from './artefact-adapter';
import { Issuers } from './issuers';
import { OAuthHandler } from './oauth.handler';

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'first', alg: 'RS256', use: 'sig' };
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** The authorization server of a gateway, with a control plane that keeps what it is given. */
export interface OAuthEdge extends RunningEdge {
  /** What the control plane keeps, by the hashes of the secrets. */
  stored: Map<string, Call<'storeOAuthArtefact'>['body']>;
  /** Hashes of the grants that were revoked. */
  revoked: string[];
  /** Whether the control plane is away. */
  isDown: boolean;
  isProxyTrusted: boolean;
  /** How often the control plane was asked for keys, and for what it keeps. */
  keyLists: number;
  lookUps: number;
  /** Keeps what a person who has signed in has; of the command-line client unless the content names another. */
  keep(kind: 'Grant' | 'RefreshToken', secret: string, content: object): void;
  send(path: string, fields: object, headers?: Record<string, string>): Test;
  authorize(): Test;
  /** Of the command-line client, by its refresh token. */
  refresh(token: string): Test;
  poll(code: string): Test;
}

export async function startOAuthEdge(): Promise<OAuthEdge> {
  const edge = await startEdge(
    {
      listSigningKeys: async () => {
        running.keyLists += 1;
        return { keys: [jwk], isIssuerEnabled: false };
      },
      noteDevicePoll: async () => {
        running.lookUps += 1;
        return { isTooSoon: false };
      },
      storeOAuthArtefact: async ({ body }) => {
        running.stored.set(body.idHash, body);
        return {};
      },
      describeSignedInUser: async () => ({
        user: { userId: 7, email: 'ada@acme.test', username: 'ada', firstName: null, lastName: null },
      }),
      consumeOAuthArtefact: async () => ({ isFirst: true }),
      destroyOAuthArtefact: async () => ({}),
      revokeOAuthGrant: async ({ body }) => {
        running.revoked.push(body.grantHash);
        return {};
      },
      findOAuthArtefact: async ({ body }) => {
        running.lookUps += 1;
        if (running.isDown) throw new AppError('service.unavailable', 'The control plane is away');
        if (body.kind === 'DeviceCode' && body.aliasHash === hashOf('GUESSED')) {
          throw new AppError('request.rate_limited', 'Too many failed attempts');
        }
        return { content: running.stored.get(body.idHash ?? '')?.content ?? null };
      },
    },
    (application, { edge: entry, bus, failures, logger }) => {
      application.set('trust proxy', (address: string) => running.isProxyTrusted && address.includes('127.0.0.1'));
      const handler = new OAuthHandler({
        ...{ edge: entry, bus, failures },
        origins: new PublicOrigins('https://{host}'),
        issuers: new Issuers(bus, logger, []),
        rateLimiter: new RateLimiter(0),
        pageRateLimiter: new RateLimiter(0),
      });
      application.use(handler.handle);
    },
  );
  const send: OAuthEdge['send'] = (path, fields, headers = {}) =>
    request(edge.origin).post(path).set(headers).type('form').send(fields);
  const running: OAuthEdge = {
    ...edge,
    stored: new Map(),
    revoked: [],
    isDown: false,
    isProxyTrusted: false,
    keyLists: 0,
    lookUps: 0,
    keep: (kind, secret, content) => {
      const now = Math.floor(Date.now() / 1_000);
      const common = { accountId: '7', clientId: 'cube-cli', iat: now, exp: now + 600 };
      const idHash = hashOf(secret);
      running.stored.set(idHash, { kind, idHash, content: { ...common, ...content, kind }, expiresInSeconds: 600 });
    },
    send,
    refresh: (token) =>
      send('/auth/oauth2/refresh', { client_id: 'cube-cli', grant_type: 'refresh_token', refresh_token: token }),
    authorize: () => send('/auth/device/code', { client_id: 'cube-cli' }),
    poll: (code) => send('/auth/device/token', { client_id: 'cube-cli', grant_type: DEVICE_GRANT, device_code: code }),
  };
  return running;
}
