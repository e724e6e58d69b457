import { systemPrincipal, type Principal } from '@plinth/auth';
import type { QueryCaller } from '@plinth/queries';
import type { PythonRun } from './python-run';
import { RunCache } from './run-cache';

const embedUser = (embedUserId: number): Principal => ({
  ...systemPrincipal(1),
  kind: 'embed-session',
  credentialId: 'session',
  embed: {
    sessionId: 's',
    deploymentId: 2,
    embedUserId,
    embedTenantName: 'acme',
    groupIds: [],
    isCreator: false,
    publicDashboardId: null,
  },
});
const caller: QueryCaller = {
  principal: embedUser(5),
  deploymentId: 2,
  environment: { environmentId: 3, branchName: 'main', type: 'production' } as QueryCaller['environment'],
  securityContext: { plant: 7 },
  isDownloadRestricted: false,
  isPythonEnabled: true,
  timeZone: null,
};
const analysis = { reportId: 4, code: 'rows', query: 'SELECT 1' };
const run: PythonRun = {
  ...{ at: new Date(0), inputRowCount: 1, columns: [], result: [1], failure: null, stdout: '', stderr: '' },
};

describe(RunCache, () => {
  it.each<[string, Partial<QueryCaller>, Partial<typeof analysis>]>([
    ['another embed user', { principal: embedUser(6) }, {}],
    ['a user of the account with the id of the embed user', { principal: { ...systemPrincipal(1), userId: 5 } }, {}],
    ['another account', { principal: { ...embedUser(5), tenantId: 9 } }, {}],
    ['another security context', { securityContext: { plant: 8 } }, {}],
    ['another environment', { environment: { ...caller.environment, environmentId: 9 } }, {}],
    ['another report', {}, { reportId: 9 }],
    ['another program', {}, { code: 'rows[0]' }],
    ['another query', {}, { query: 'SELECT 2' }],
  ])('knows nothing of %s', (_, otherCaller, otherAnalysis) => {
    const cache = new RunCache();
    cache.keep(caller, analysis, run);
    expect(cache.get({ ...caller, ...otherCaller }, { ...analysis, ...otherAnalysis })).toBeUndefined();
  });

  it('keeps no failures', () => {
    const cache = new RunCache();
    cache.keep(caller, analysis, { ...run, failure: 'NameError' });
    expect(cache.get(caller, analysis)).toBeUndefined();
  });

  it('keeps a result for a minute, for all sessions of its user', () => {
    let now = 1_000;
    const cache = new RunCache(() => now);
    cache.keep(caller, analysis, run);
    now += 59_000;
    const other = { ...caller, principal: { ...caller.principal, credentialId: 'another session' } };
    expect(cache.get(other, analysis)).toBe(run);
    now += 2_000;
    expect(cache.get(caller, analysis)).toBeUndefined();
  });
});
