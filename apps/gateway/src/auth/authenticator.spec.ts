import { hash } from 'node:crypto';
import { anonymousPrincipal } from '@plinth/auth';
import type { AppError } from '@plinth/errors';
import type { Call } from '@plinth/messaging';
import { until } from '@plinth/testing';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { startBus, type AnsweredBus } from '../http/edge-fixture';
import { FailureLimiter } from '../limits/failure-limiter';
import { Authenticator } from './authenticator';

const acme = { tenantId: 1, tenantName: 'acme' };
const logger = pino({ enabled: false });
const FAILURES_PER_MINUTE = 3;
const tokenOf = (issuer: string, id: string): string =>
  ['{"alg":"HS256"}', JSON.stringify({ iss: issuer, jti: id }), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
const ada = { ...anonymousPrincipal(1, 'acme'), kind: 'api-key', credentialId: 'api-key:9', userName: 'Ada' };

const session = {
  ...ada,
  kind: 'embed-session',
  credentialId: 'embed-session:a',
  embed: { sessionId: 'a', deploymentId: 7, embedUserId: 4, embedTenantName: 'acme', groupIds: [], isCreator: false },
};

describe(Authenticator.name, () => {
  let services: AnsweredBus;
  let asked: Call<'authenticate'>['body'][];
  let opened: { tenantId: number; token: string }[];
  let openFor: number;
  let answer: (body: Call<'authenticate'>['body']) => unknown;
  let authenticator: Authenticator;

  beforeEach(async () => {
    asked = [];
    answer = ({ tenantId, tokenHash }) => ({
      principal: tenantId === 1 && tokenHash === hash('sha256', 'sk-ada') ? ada : null,
      refusal: null,
    });
    const authenticate = async ({ body }: Call<'authenticate'>) => {
      asked.push(body);
      return answer(body);
    };
    opened = [];
    openFor = 60_000;
    const authenticateEmbedSession = async ({ principal, body }: Call<'authenticateEmbedSession'>) => {
      opened.push({ ...body, tenantId: principal.tenantId });
      const isOpen = openFor > 0 && principal.tenantId === 1 && body.token === tokenOf('cubecloud', 'a');
      return { principal: isOpen ? session : null, validForMs: openFor };
    };
    services = await startBus({ authenticate, authenticateEmbedSession }, logger);
    const failures = new FailureLimiter(FAILURES_PER_MINUTE, logger, new Registry());
    authenticator = new Authenticator(services.bus, failures, 60_000);
  });
  afterEach(() => services.close());

  const outcome = (authorization: string | undefined, tenant = acme): Promise<string> =>
    authenticator.authenticate(tenant, authorization, '127.0.0.1').then(
      ({ credentialId }) => credentialId,
      (error: AppError) => error.code,
    );

  it.each(['', 'sk-ada', 'Basic YTpi', 'Bearer', 'Bearer ', 'Bearer a b', 'Api-Key'])(
    'refuses "%s" without asking anybody',
    async (authorization) => {
      expect(await outcome(authorization)).toBe('auth.credential_malformed');
      expect(asked).toEqual([]);
    },
  );

  it('refuses what nobody knows, also what is known in another tenant alone, remembered or not', async () => {
    expect(await outcome('Bearer sk-nobody')).toBe('auth.credential_invalid');
    expect(await outcome('Bearer sk-ada')).toBe('api-key:9');
    expect(await outcome('Bearer sk-ada', { tenantId: 2, tenantName: 'other' })).toBe('auth.credential_invalid');
  });

  it('refuses a personal key for the reason that the control plane gives, each time', async () => {
    answer = () => ({ principal: null, refusal: 'access.personal_keys_off' });
    expect(await outcome('Api-Key sk-ada')).toBe('access.personal_keys_off');
    expect(await outcome('Api-Key sk-ada')).toBe('access.personal_keys_off');
  });

  it('asks no more for an address that tries many, and lets those pass that were valid before', async () => {
    expect(await outcome('Bearer sk-ada')).toBe('api-key:9');
    for (let time = 0; time < FAILURES_PER_MINUTE; time += 1) await outcome(`Bearer guess-${time}`);
    const before = asked.length;
    expect(await outcome('Bearer another')).toBe('request.too_many_failures');
    expect(asked).toHaveLength(before);
    services.publish('control-plane.credential.changed');
    await new Promise(setImmediate);
    expect(await outcome('Bearer sk-ada')).toBe('api-key:9');
  });

  it('takes who sends nothing for nobody in particular', async () => {
    expect(await outcome(undefined)).toBe('anonymous');
  });

  it.each(['Bearer sk-ada', 'bearer sk-ada', 'Api-Key sk-ada', 'API-KEY   sk-ada'])(
    'knows "%s", and asks by the hash of the token alone',
    async (authorization) => {
      expect(await outcome(authorization)).toBe('api-key:9');
      expect(asked).toEqual([{ tenantId: 1, tokenHash: hash('sha256', 'sk-ada') }]);
    },
  );

  it('remembers whom it has found, in either form, until a notice says that credentials have changed', async () => {
    for (const form of ['Bearer sk-ada', 'Api-Key sk-ada', 'Bearer sk-ada']) await outcome(form);
    expect(asked).toHaveLength(1);
    answer = () => ({ principal: null, refusal: null });
    services.publish('control-plane.credential.changed');
    await new Promise(setImmediate);
    expect(await outcome('Bearer sk-ada')).toBe('auth.credential_invalid');
  });

  describe('takes a token of an embed session', () => {
    const bearer = `Bearer ${tokenOf('cubecloud', 'a')}`;

    it('to embed alone, and refuses it where embed knows none', async () => {
      expect(await outcome(`Bearer ${tokenOf('cubecloud', 'b')}`)).toBe('auth.credential_invalid');
      expect(await outcome(bearer, { tenantId: 2, tenantName: 'other' })).toBe('auth.credential_invalid');
      expect(opened.map(({ tenantId }) => tenantId)).toEqual([1, 2]);
      expect(asked).toEqual([]);
    });

    it.each([tokenOf('elsewhere', 'a'), 'a.b.c', `${Buffer.from('{}').toString('base64url')}.bnVsbA.x`])(
      'for what it is: %s is none',
      async (token) => {
        expect(await outcome(`Bearer ${token}`)).toBe('auth.credential_invalid');
        expect(opened).toEqual([]);
        expect(asked).toHaveLength(1);
      },
    );

    it.each(['embed.session.changed', 'control-plane.credential.changed'])(
      'for the session until the notice %s',
      async (topic) => {
        for (let time = 0; time < 3; time += 1) expect(await outcome(bearer)).toBe('embed-session:a');
        expect(authenticator.peek(acme, bearer)).toMatchObject({ embed: session.embed });
        expect(opened).toHaveLength(1);
        openFor = 0;
        services.publish(topic);
        await new Promise(setImmediate);
        expect(await outcome(bearer)).toBe('auth.credential_invalid');
        expect(authenticator.peek(acme, bearer)).toBeUndefined();
      },
    );

    it('for no longer than the token is valid', async () => {
      openFor = 20;
      expect(await outcome(bearer)).toBe('embed-session:a');
      openFor = 0;
      await until(
        'it is looked at again',
        () => outcome(bearer),
        (code) => code === 'auth.credential_invalid',
        5_000,
      );
    });
  });
});
