import { anonymousPrincipal, type Principal } from '@plinth/auth';
import { AppError, type ErrorCode } from '@plinth/errors';
import type { Call } from '@plinth/messaging';
import { createLogger, requestContext } from '@plinth/observability';
import type { Request, Response } from 'express';
import { platformDialect } from '../dialects/platform.dialect';
import { startBus, type AnsweredBus } from '../http/edge-fixture';
import { beginExchange, type Exchange } from '../exchange/exchange';
import { Denials } from './denials';

const key = (id: number): Principal => ({
  ...anonymousPrincipal(1, 'acme'),
  kind: 'api-key',
  credentialId: `api-key:${id}`,
});

describe(Denials.name, () => {
  let services: AnsweredBus;
  let recorded: (Call<'recordDenial'>['body'] & { by: string; requestId: string | undefined })[];
  let isDown: boolean;
  let lines: string;
  let denials: Denials;

  beforeEach(async () => {
    recorded = [];
    isDown = false;
    lines = '';
    const logger = createLogger('test', 'debug', { write: (line: string) => void (lines += line) });
    const recordDenial = async ({ principal, body }: Call<'recordDenial'>) => {
      if (isDown) throw new AppError('service.unavailable', 'The control plane is away');
      recorded.push({ ...body, by: principal.credentialId, requestId: requestContext()?.requestId });
      return { recorded: true };
    };
    services = await startBus({ recordDenial }, logger);
    denials = new Denials(services.bus, logger);
  });
  afterEach(() => services.close());

  const failed = (code: ErrorCode, known: Partial<Exchange> = {}): Exchange => ({
    ...beginExchange({ headers: {}, ip: '10.0.0.1' } as unknown as Request, {} as Response, platformDialect),
    context: { requestId: 'request-1', operationId: 'deleteUser' },
    tenant: { tenantId: 1, tenantName: 'acme' },
    error: new AppError(code, 'No'),
    ...known,
  });
  const settled = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  };

  it.each<[string, Exchange]>([
    ['a credential that was left out', failed('auth.credential_missing')],
    ['one that was mistyped', failed('auth.credential_malformed')],
    ['an operation that is not there', failed('request.not_found')],
    ['a failure of ours', failed('service.internal')],
    ['a refusal under the host of nobody', failed('access.denied', { tenant: undefined })],
    ['what went well', failed('access.denied', { error: undefined })],
  ])('records nothing of %s', async (_what, exchange) => {
    denials.note(exchange);
    await settled();
    expect(recorded).toEqual([]);
  });

  it('says so in the log when the control plane is away, and fails nothing', async () => {
    isDown = true;
    denials.note(failed('access.denied'));
    await settled();
    expect(lines).toContain('a refused request could not be recorded');
  });

  it('records five a minute of a credential or an address, and sixty of an account', async () => {
    for (let time = 0; time < 9; time += 1) denials.note(failed('access.denied', { principal: key(1) }));
    await settled();
    expect(recorded).toHaveLength(5);
    for (let time = 0; time < 9; time += 1) denials.note(failed('auth.credential_invalid'));
    await settled();
    expect(recorded).toHaveLength(10);
    for (let id = 2; id < 90; id += 1) denials.note(failed('access.denied', { principal: key(id) }));
    await settled();
    expect(recorded).toHaveLength(60);
    denials.note(failed('access.denied', { tenant: { tenantId: 2, tenantName: 'other' } }));
    await settled();
    expect(recorded).toHaveLength(61);
  });

  it('records who was refused what and why, in the context of the request', async () => {
    denials.note(failed('access.denied', { principal: key(7) }));
    denials.note(failed('password.wrong', { principal: key(7), context: { requestId: 'request-2' } }));
    denials.note(failed('auth.credential_invalid'));
    await settled();
    expect(recorded).toEqual([
      { operation: 'deleteUser', reason: 'access.denied', by: 'api-key:7', requestId: 'request-1' },
      { operation: 'unknown', reason: 'password.wrong', by: 'api-key:7', requestId: 'request-2' },
      { operation: 'deleteUser', reason: 'auth.credential_invalid', by: 'anonymous', requestId: 'request-1' },
    ]);
  });
});
