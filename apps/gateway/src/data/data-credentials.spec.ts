import type { BodyOf, OperationId } from '@plinth/contract';
import { createBus, InProcessHub, type Bus, type Call, type Handler } from '@plinth/messaging';
import { createLogger } from '@plinth/observability';
import { until } from '@plinth/testing';
import { Registry } from 'prom-client';
import { FailureLimiter } from '../limits/failure-limiter';
import { DataCredentials } from './data-credentials';
import { ACCESS, refusing, TOKEN } from './data-fixture';
import type { Environment, Place } from './data-places';
import type { DataUse } from './data-verdicts';

const logger = createLogger('gateway', 'silent');
const HOUR_MS = 3_600_000;
const main: Environment = { environmentId: 1, branchName: 'main', type: 'production' };
const next: Environment = { environmentId: 2, branchName: 'next', type: 'staging' };
const production: Place = { tenantId: 1, deploymentId: 7, branch: undefined, environment: main };
const staging: Place = { ...production, branch: 'next', environment: next };

describe('what a token opens', () => {
  let buses: Bus[];
  let credentials: DataCredentials;
  let asked: (BodyOf<'verifyDataToken'> & { tenantId: number })[];
  let validForMs: number;
  let opens: (request: BodyOf<'verifyDataToken'>) => boolean;

  beforeEach(async () => {
    const hub = new InProcessHub();
    const connect = (name: 'gateway' | 'control-plane') => createBus({ name, hub, logger });
    buses = [await connect('gateway'), await connect('control-plane')];
    [asked, opens, validForMs] = [[], () => true, HOUR_MS];
    const verify = async ({ principal, body }: Call<'verifyDataToken'>) => {
      asked.push({ ...body, tenantId: principal.tenantId });
      return opens(body) ? { access: { ...ACCESS, validForMs } } : refusing('revoked')();
    };
    await buses[1]?.serve(new Map<OperationId, Handler>([['verifyDataToken', verify as unknown as Handler]]));
    credentials = new DataCredentials(buses[0]!, new FailureLimiter(100, logger, new Registry()), HOUR_MS);
  });
  afterEach(() => Promise.all(buses.map((bus) => bus.close(0))));

  const open = (place: Place, use: DataUse = 'data', token = TOKEN) =>
    credentials.open(place, use, token, '127.0.0.1').then(
      ({ environment }) => environment.branchName,
      ({ code }: { code: string }) => code,
    );

  it('is asked for the very place and use of the request', async () => {
    await open(production);
    await open(staging, 'metadata');
    expect(asked).toEqual([
      { token: TOKEN, tenantId: 1, deploymentId: 7, environmentId: 1, isProduction: true, use: 'data' },
      { token: TOKEN, tenantId: 1, deploymentId: 7, environmentId: 2, isProduction: false, use: 'metadata' },
    ]);
  });

  it.each<[string, Place, DataUse, string]>([
    ['another environment', staging, 'metadata', TOKEN],
    ['another deployment', { ...production, deploymentId: 8 }, 'metadata', TOKEN],
    ['another tenant', { ...production, tenantId: 2 }, 'metadata', TOKEN],
    ['another use', production, 'data', TOKEN],
    ['another token', production, 'metadata', `${TOKEN}2`],
  ])('is remembered for nothing else: %s', async (_, place, use, token) => {
    expect(await open(production, 'metadata')).toBe('main');
    opens = () => false;
    expect(await open(production, 'metadata')).toBe('main');
    expect(await open(place, use, token)).toBe('data_token.revoked');
  });

  it('is remembered no longer than it is valid', async () => {
    validForMs = 50;
    expect(await open(production)).toBe('main');
    opens = () => false;
    const ask = () => open(production);
    await until('the end of the token', ask, (answer) => answer === 'data_token.revoked');
  });

  it('is remembered until the notice that credentials have changed, and no longer', async () => {
    expect(await open(production)).toBe('main');
    opens = () => false;
    expect(await open(production)).toBe('main');
    buses[1]?.publish({ topic: 'control-plane.credential.changed', payload: { tenantId: 1 } });
    const ask = () => open(production);
    await until('the end of the token', ask, (answer) => answer === 'data_token.revoked');
  });
});
