import { anonymousPrincipal, type Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import type { Request, Response } from 'express';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Dialect } from '../dialects/dialect';
import { platformDialect } from '../dialects/platform.dialect';
import { scimDialect } from '../dialects/scim.dialect';
import { beginExchange, type Exchange } from '../exchange/exchange';
import { ScimRequestLog } from './scim-request-log';

const token = (tenantId: number): Principal => ({
  ...anonymousPrincipal(tenantId, 'acme'),
  kind: 'scim-token',
  credentialId: 'scim-token:3',
  isAdmin: true,
});

interface Recorded {
  principal: Principal;
  body: { requests: { id: string; path: string }[] };
}

describe(ScimRequestLog.name, () => {
  let recorded: Recorded[];
  let failure: AppError | undefined;
  /** Happens once while a batch is on its way. */
  let meanwhile: (() => void) | undefined;
  let registry: Registry;
  let log: ScimRequestLog;

  beforeEach(() => {
    jest.useFakeTimers();
    recorded = [];
    failure = meanwhile = undefined;
    registry = new Registry();
    const ask = (_operationId: string, principal: Principal, { requests }: Recorded['body']) => {
      meanwhile?.();
      meanwhile = undefined;
      if (failure) return Promise.reject(failure);
      recorded.push({ principal, body: { requests: [...requests] } });
      return Promise.resolve({ recorded: true });
    };
    log = new ScimRequestLog({ ask } as unknown as Bus, pino({ enabled: false }), registry);
  });
  afterEach(() => jest.useRealTimers());

  const answered = (path: string, dialect: Dialect = scimDialect): Exchange => {
    const request = { method: 'GET', path, query: {}, headers: {} } as unknown as Request;
    return beginExchange(request, { statusCode: 200 } as Response, dialect);
  };
  const note = (path: string, { tenantId = 1, isKnown = true } = {}) =>
    log.note({
      ...answered(path),
      tenant: { tenantId, tenantName: 'acme' },
      principal: isKnown ? token(tenantId) : undefined,
    });
  const paths = () => recorded.flatMap(({ body }) => body.requests.map(({ path }) => path));
  const lost = () => registry.getSingleMetricAsString('plinth_scim_requests_unrecorded_total');
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('leaves other requests alone, and those whose tenant is unknown', async () => {
    const tenant = { tenantId: 1, tenantName: 'acme' };
    log.note({ ...answered('/api/v1/scim/tokens', platformDialect), tenant, principal: token(1) });
    log.note(answered('/api/scim/v2/Users'));
    await log.close();
    expect(recorded).toEqual([]);
  });

  it('sends what came within a second together, each tenant apart', async () => {
    note('/api/scim/v2/Users');
    note('/api/scim/v2/Users', { tenantId: 2 });
    note('/api/scim/v2/Groups');
    await pass(900);
    expect(recorded).toEqual([]);
    await pass(100);
    expect(recorded.map(({ principal, body }) => [principal.tenantId, body.requests.length])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it('sends a full batch at once', async () => {
    for (let index = 0; index < 50; index += 1) note(`/api/scim/v2/Users/${index}`);
    await pass(0);
    expect(paths()).toHaveLength(50);
  });

  it('sends what comes while a batch is on its way with the next one', async () => {
    meanwhile = () => note('/api/scim/v2/Groups');
    note('/api/scim/v2/Users');
    await pass(5_000);
    expect(paths()).toEqual(['/api/scim/v2/Users', '/api/scim/v2/Groups']);
  });

  it('sends the same entries again after the control plane was away, those in between too', async () => {
    failure = new AppError('service.unavailable', 'Nobody is there');
    note('/api/scim/v2/Users');
    await pass(1_000);
    note('/api/scim/v2/Groups');
    await pass(1_000);
    expect(recorded).toEqual([]);
    failure = undefined;
    await pass(1_000);
    expect(paths()).toEqual(['/api/scim/v2/Users', '/api/scim/v2/Groups']);
    await pass(5_000);
    expect(recorded).toHaveLength(1);
  });

  it('drops and counts entries that are refused, instead of sending them for ever', async () => {
    failure = new AppError('request.invalid', 'No');
    note('/api/scim/v2/Users');
    await pass(1_000);
    failure = undefined;
    await pass(5_000);
    expect(recorded).toEqual([]);
    expect(await lost()).toContain('{reason="refused"} 1');
  });

  it('holds 2,000 entries of a tenant and 10,000 in all, and counts the rest', async () => {
    failure = new AppError('service.unavailable', 'Nobody is there');
    for (let index = 0; index < 2_005; index += 1) note('/api/scim/v2/Users');
    expect(await lost()).toContain('{reason="full"} 5');
    for (let tenantId = 2; tenantId <= 6; tenantId += 1) {
      for (let index = 0; index < 2_000; index += 1) note('/api/scim/v2/Users', { tenantId });
    }
    expect(await lost()).toContain('{reason="full"} 2005');
    failure = undefined;
    await pass(10_000);
    expect(paths()).toHaveLength(10_000);
  });

  it('records 60 requests a minute of callers that nobody knows, for each tenant', async () => {
    for (let index = 0; index < 100; index += 1) note('/api/scim/v2/Users', { isKnown: false });
    note('/api/scim/v2/Groups');
    note('/api/scim/v2/Users', { tenantId: 2, isKnown: false });
    await pass(2_000);
    expect(paths()).toHaveLength(62);
    expect(await lost()).toContain('{reason="unknown_caller"} 40');
  });

  it('sends what waits when it is closed, and counts what cannot be sent any more', async () => {
    note('/api/scim/v2/Users');
    await log.close();
    expect(paths()).toEqual(['/api/scim/v2/Users']);
    failure = new AppError('service.unavailable', 'Nobody is there');
    note('/api/scim/v2/Groups');
    await log.close();
    expect(await lost()).toContain('{reason="refused"} 1');
    failure = undefined;
    await pass(5_000);
    expect(paths()).toEqual(['/api/scim/v2/Users']);
  });
});
