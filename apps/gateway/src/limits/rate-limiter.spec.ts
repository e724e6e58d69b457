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
  const spend = (limiter: RateLimiter, count: number): void => {
    for (let request = 0; request < count; request += 1) limiter.consume(token(1), '');
  };
  const refusal = { code: 'request.rate_limited', status: 429 };

  it('104 lets an identity provider send 25 requests a second for a minute, unless it is told otherwise', () => {
    const { rateLimitPerMinute } = loadConfig(gatewaySettings, {});
    const limiter = new RateLimiter(rateLimitPerMinute);
    expect(() => spend(limiter, 25 * 60)).not.toThrow();
  });

  it('says in whole seconds when the credential may come back', () => {
    const limiter = new RateLimiter(2);
    spend(limiter, 2);
    expect(() => spend(limiter, 1)).toThrow(expect.objectContaining({ ...refusal, retryAfterSeconds: 60 }));
  });

  it('lets the credential come back after the period, as often as before', () => {
    const clock = { at: 1_000, now: () => clock.at };
    jest.useFakeTimers();
    const limiter = new RateLimiter(2, clock);
    spend(limiter, 2);
    pass(59_500);
    expect(() => spend(limiter, 1)).toThrow(expect.objectContaining({ ...refusal, retryAfterSeconds: 1 }));
    pass(600);
    expect(() => spend(limiter, 2)).not.toThrow();
    expect(() => spend(limiter, 1)).toThrow(expect.objectContaining({ ...refusal, retryAfterSeconds: 60 }));
    jest.useRealTimers();

    // The limiter reads its clock once in a turn of the event loop.
    function pass(milliseconds: number): void {
      clock.at += milliseconds;
      jest.advanceTimersByTime(milliseconds);
    }
  });

  it('counts every credential and tenant apart, and callers without one by their address', () => {
    const limiter = new RateLimiter(1);
    limiter.consume(token(1), '');
    limiter.consume(token(2), '');
    limiter.consume(token(1, 2), '');
    limiter.consume(nobody, '192.0.2.1');
    limiter.consume(nobody, '192.0.2.2');
    expect(() => limiter.consume(nobody, '192.0.2.1')).toThrow(expect.objectContaining(refusal));
  });

  it('is off at zero', () => {
    expect(() => spend(new RateLimiter(0), 1_000)).not.toThrow();
  });
});
