import { anonymousPrincipal, type Principal } from '@plinth/auth';
import { loadConfig } from '@plinth/config';
import { gatewaySettings } from '../gateway.config';
import { RateLimiter } from './rate-limiter';

const nobody = anonymousPrincipal(1, 'acme');
const token = (id: number, tenantId = 1): Principal => ({
  ...nobody,
  tenantId,
  kind: 'scim-token',
  credentialId: `scim-token:${id}`,
});

describe(RateLimiter.name, () => {
  const spend = async (limiter: RateLimiter, count: number) => {
    for (let request = 0; request < count; request += 1) await limiter.consume(token(1), '');
  };
  const refusal = { code: 'request.rate_limited', status: 429, retryAfterSeconds: expect.any(Number) };

  it('104 lets an identity provider send 25 requests a second for a minute, unless it is told otherwise', async () => {
    const { rateLimitPerMinute } = loadConfig(gatewaySettings, {});
    const limiter = new RateLimiter(rateLimitPerMinute);
    await expect(spend(limiter, 25 * 60)).resolves.toBeUndefined();
  });

  it('says in whole seconds when the credential may come back', async () => {
    const limiter = new RateLimiter(2);
    await spend(limiter, 2);
    await expect(spend(limiter, 1)).rejects.toMatchObject(refusal);
    const thrown = (await spend(limiter, 1).catch((error: unknown) => error)) as { retryAfterSeconds: number };
    expect(Number.isInteger(thrown.retryAfterSeconds)).toBe(true);
    expect(thrown.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(thrown.retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  it('counts every credential and tenant apart, and callers without one by their address', async () => {
    const limiter = new RateLimiter(1);
    await limiter.consume(token(1), '');
    await limiter.consume(token(2), '');
    await limiter.consume(token(1, 2), '');
    await limiter.consume(nobody, '192.0.2.1');
    await limiter.consume(nobody, '192.0.2.2');
    await expect(limiter.consume(nobody, '192.0.2.1')).rejects.toMatchObject(refusal);
  });

  it('is off at zero', async () => {
    await expect(spend(new RateLimiter(0), 1_000)).resolves.toBeUndefined();
  });
});
