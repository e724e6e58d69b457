import { anonymousPrincipal } from '@plinth/auth';
import { operation } from '@plinth/contract';
import type { AppError } from '@plinth/errors';
import type { Call } from '@plinth/messaging';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { startBus, type AnsweredBus } from '../http/edge-fixture';
import { FailureLimiter } from '../limits/failure-limiter';
import { deploymentTokenIn, DeploymentTokens } from './deployment-tokens';

const acme = { tenantId: 1, tenantName: 'acme' };
const logger = pino({ enabled: false });
const FAILURES_PER_MINUTE = 3;
const ada = { ...anonymousPrincipal(1, 'acme'), kind: 'deployment-token', credentialId: 'data-token:1' };

describe(deploymentTokenIn.name, () => {
  const stream = operation('streamDeploymentChatState');

  it.each<[string, Record<string, string>, Parameters<typeof deploymentTokenIn>[1]]>([
    ['where the operation takes none', { 'x-cube-auth-token': 't' }, operation('getDeployment')],
    ['beside Authorization, which wins', { 'x-cube-auth-token': 't', authorization: 'Api-Key sk-x' }, stream],
    ['where there is none', {}, stream],
  ])('finds none %s', (_what, headers, described) => {
    expect(deploymentTokenIn({ headers }, described)).toBeUndefined();
  });

  it.each(['streamChatState', 'abortChat', 'streamDeploymentChatState', 'abortDeploymentChat'] as const)(
    'finds the one that %s takes',
    (operationId) => {
      expect(deploymentTokenIn({ headers: { 'x-cube-auth-token': 't' } }, operation(operationId))).toBe('t');
    },
  );
});

describe(DeploymentTokens.name, () => {
  let services: AnsweredBus;
  let asked: string[];
  let answer: (token: string) => object;
  let tokens: DeploymentTokens;

  beforeEach(async () => {
    asked = [];
    answer = (token) => ({ principal: token === 'good' ? ada : null, validForMs: 60_000 });
    const authenticateDeploymentToken = async ({ body }: Call<'authenticateDeploymentToken'>) => {
      asked.push(body.token);
      return answer(body.token);
    };
    services = await startBus({ authenticateDeploymentToken }, logger);
    const failures = new FailureLimiter(FAILURES_PER_MINUTE, logger, new Registry());
    tokens = new DeploymentTokens(services.bus, failures, 60_000);
  });
  afterEach(() => services.close());

  const outcome = (token: string, tenant = acme): Promise<string> =>
    tokens.authenticate(tenant, token, '127.0.0.1').then(
      ({ credentialId }) => credentialId,
      ({ code, status }: AppError) => `${status} ${code}`,
    );

  it('asks no more for an address that tries many', async () => {
    for (let time = 0; time < FAILURES_PER_MINUTE; time += 1) {
      expect(await outcome(`guess-${time}`)).toBe('401 auth.credential_invalid');
    }
    expect(await outcome('another')).toBe('429 request.too_many_failures');
    expect(asked).toHaveLength(FAILURES_PER_MINUTE);
  });

  it.each(['chat.token_scope', 'chat.tokens_off'])('tells why a valid one is refused: %s', async (refusal) => {
    answer = () => ({ principal: null, refusal, validForMs: 0 });
    for (let time = 0; time < 2 * FAILURES_PER_MINUTE; time += 1) expect(await outcome('good')).toBe(`403 ${refusal}`);
    expect(asked).toHaveLength(1);
  });

  it.each(['control-plane.credential.changed', 'control-plane.deployment.changed'])(
    'remembers whom one stands for in its account alone, until the notice %s',
    async (topic) => {
      for (let time = 0; time < 3; time += 1) expect(await outcome('good')).toBe('data-token:1');
      expect(asked).toHaveLength(1);
      await outcome('good', { tenantId: 2, tenantName: 'other' });
      expect(asked).toHaveLength(2);
      answer = () => ({ principal: null, validForMs: 0 });
      services.publish(topic);
      await new Promise(setImmediate);
      expect(await outcome('good')).toBe('401 auth.credential_invalid');
    },
  );
});
