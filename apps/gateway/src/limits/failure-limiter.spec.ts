import { AppError } from '@plinth/errors';
import { createLogger } from '@plinth/observability';
import { Registry } from 'prom-client';
import { FailureLimiter, type FailureKind } from './failure-limiter';

const refusal = { code: 'request.too_many_failures', status: 429, retryAfterSeconds: expect.any(Number) };
const somebody = { id: 1 };

describe(FailureLimiter.name, () => {
  let lookUps: string[];
  let registry: Registry;
  let lines: string;

  beforeEach(() => {
    lookUps = [];
    registry = new Registry();
    lines = '';
  });

  const limiterOf = (perMinute: number, periodMs?: number) => {
    const logger = createLogger('test', 'debug', { write: (line: string) => void (lines += line) });
    return new FailureLimiter(perMinute, logger, registry, periodMs);
  };
  const find = (limiter: FailureLimiter, key: string, address = '192.0.2.1', kind: FailureKind = 'credential') =>
    limiter.find(kind, key, address, async () => {
      lookUps.push(key);
      if (key === 'down') throw new AppError('service.unavailable', 'The control plane is away');
      return key.startsWith('good') ? somebody : null;
    });

  it('looks nothing up for an address that has failed too often, and says when to come back', async () => {
    const limiter = limiterOf(2);
    for (const key of ['bad-1', 'bad-2']) expect(await find(limiter, key)).toBeNull();
    await expect(find(limiter, 'bad-3')).rejects.toMatchObject(refusal);
    const { retryAfterSeconds } = (await find(limiter, 'good-1').catch((error: unknown) => error)) as AppError;
    expect(lookUps).toEqual(['bad-1', 'bad-2']);
    expect(Number.isInteger(retryAfterSeconds)).toBe(true);
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
    expect(await registry.metrics()).toContain('plinth_http_failures_limited_total{kind="credential"} 2');
    expect(lines.match(/an address fails too often/g)).toHaveLength(1);
  });

  it('counts attempts at the same time', async () => {
    const limiter = limiterOf(5);
    const attempts = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => find(limiter, `bad-${index}`)));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(lookUps).toHaveLength(5);
  });

  it('shuts out nobody who was let in before, as long as they are let in', async () => {
    const limiter = limiterOf(1);
    await find(limiter, 'good-1', '192.0.2.9');
    await find(limiter, 'bad');
    expect(await find(limiter, 'good-1')).toBe(somebody);
    await limiter.find('credential', 'good-1', '192.0.2.1', async () => null);
    await expect(find(limiter, 'good-1')).rejects.toMatchObject(refusal);
  });

  it('counts neither successes nor look-ups that could not be made', async () => {
    const limiter = limiterOf(2);
    for (let user = 0; user < 100; user += 1) expect(await find(limiter, `good-${user}`)).toBe(somebody);
    for (let time = 0; time < 10; time += 1) await expect(find(limiter, 'down')).rejects.toThrow('away');
    expect(await find(limiter, 'bad')).toBeNull();
  });

  it('counts every address and kind apart, and IPv6 addresses of one client together', async () => {
    const limiter = limiterOf(1);
    await find(limiter, 'bad', '192.0.2.1');
    await find(limiter, 'bad', '192.0.2.1', 'host');
    await find(limiter, 'bad', '192.0.2.2');
    await find(limiter, 'bad', '2600:1:2:3::1');
    await find(limiter, 'bad', '2600:1:2:4::1');
    await expect(find(limiter, 'bad', '::ffff:192.0.2.1')).rejects.toMatchObject(refusal);
    await expect(find(limiter, 'bad', '2600:1:2:3:ffff::2')).rejects.toMatchObject(refusal);
  });

  it('begins anew after its period', async () => {
    const limiter = limiterOf(1, 50);
    await find(limiter, 'bad-1');
    const deadline = Date.now() + 5_000;
    const isOver = () => find(limiter, 'bad-2').then(Boolean, () => true);
    while ((await isOver()) && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
    expect(lookUps).toEqual(['bad-1', 'bad-2']);
  });

  it('is off at zero', async () => {
    const limiter = limiterOf(0);
    for (let time = 0; time < 1_000; time += 1) expect(await find(limiter, `bad-${time}`)).toBeNull();
  });
});
