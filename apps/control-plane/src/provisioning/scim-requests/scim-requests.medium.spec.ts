import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { systemPrincipal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { Housekeeping, managerFor } from '@plinth/database';
import { pino } from 'pino';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, walk, type Fixture } from '../../testing/deployment-fixture';
import { viewerBeside } from '../../testing/account-fixture';
import { provisioningSchema } from '../provisioning.schema';

type Entry = Schemas['ScimRequest'];

const DAY_MS = 86_400_000;
/** Of a day whose requests are kept, with one after it: what is older is forgotten at any moment. */
const noon = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - 1.5 * DAY_MS);
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const entry = (more: Partial<Entry> = {}): Entry => ({
  id: randomUUID(),
  time: noon.toISOString(),
  requestId: 'request',
  caller: { kind: 'scim-token', id: 3, userId: null, name: 'Okta' },
  method: 'GET',
  path: '/api/scim/v2/Users',
  query: { filter: 'userName eq "a@b.test"' },
  status: 200,
  scimType: null,
  code: null,
  durationMs: 12,
  ...more,
});

const failure = { status: 409, scimType: 'uniqueness', code: 'user.email_taken' };

describe('the list of SCIM requests', () => {
  let platform: Fixture;
  let tenant: TestTenant;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
  });

  const record = (requests: Entry[], { id } = tenant) =>
    platform.call(systemPrincipal(id), 'recordScimRequests', { body: { requests } });
  const list = (query: Record<string, unknown> = {}, { admin } = tenant) =>
    platform.call(admin, 'listScimRequests', { query });
  const ids = async (query: Record<string, unknown>) => (await list(query)).items.map(({ id }) => id);

  it('is for administrators, and refuses a period that ends before it begins and cursors of other filters', async () => {
    expect(await platform.refusal(viewerBeside(tenant.admin), 'listScimRequests')).toBe('access.denied');
    const backwards = { start: '2026-03-02', end: '2026-03-01' };
    expect(await platform.refusal(tenant.admin, 'listScimRequests', { query: backwards })).toBe('request.invalid');
    await record([entry(), entry()]);
    const { pageInfo } = await list({ first: 1 });
    const elsewhere = { after: pageInfo.endCursor, failed: true };
    expect(await platform.refusal(tenant.admin, 'listScimRequests', { query: elsewhere })).toBe(
      'request.cursor_invalid',
    );
  });

  it('shows nothing to another tenant, even when both use the same ids', async () => {
    const shared = entry();
    const other = await newTenant(platform);
    await record([shared]);
    expect((await list({}, other)).items).toEqual([]);
    await record([entry({ id: shared.id, path: '/api/scim/v2/Groups' })], other);
    expect((await list()).items).toEqual([shared]);
  });

  it('keeps an entry that is sent twice once, as it was first', async () => {
    const first = entry();
    await record([first]);
    const second = entry(failure);
    await record([{ ...first, status: 500 }, second]);
    expect((await list()).items).toEqual(expect.arrayContaining([first, second]));
    expect((await list()).items).toHaveLength(2);
  });

  it('is paged newest first, without gap or repeat when many requests share a moment', async () => {
    const entries = Array.from({ length: 7 }, (_, index) =>
      entry({ time: new Date(noon.getTime() + Math.floor(index / 3)).toISOString() }),
    );
    await record(entries);
    const rows = await walk(
      (after) => list({ first: 2, after }),
      () => record([entry({ time: new Date().toISOString() })]),
    );
    expect(rows).toHaveLength(7);
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(entries.map(({ id }) => id)));
    const times = rows.map(({ time }) => time);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('finds failures, the requests of one token and those of a period', async () => {
    const ofKey = { kind: 'api-key' as const, id: 3, userId: 7, name: 'Ada' };
    const [fine, failed, byKey, nobody, late] = [
      entry(),
      entry(failure),
      entry({ ...failure, caller: ofKey }),
      entry({ caller: null, status: 401, code: 'auth.credential_invalid' }),
      entry({ time: new Date(noon.getTime() + DAY_MS).toISOString() }),
    ] as const;
    await record([fine, failed, byKey, nobody, late]);
    const found = async (query: Record<string, unknown>) => new Set(await ids(query));
    expect(await found({ failed: true })).toEqual(new Set([failed.id, byKey.id, nobody.id]));
    expect(await found({ failed: false })).toEqual(new Set([fine.id, late.id]));
    expect(await found({ tokenId: 3 })).toEqual(new Set([fine.id, failed.id, late.id]));
    expect(await found({ tokenId: 3, failed: true })).toEqual(new Set([failed.id]));
    expect(await found({ start: dayOf(noon.getTime() + DAY_MS) })).toEqual(new Set([late.id]));
    expect(await found({ end: dayOf(noon.getTime()), failed: false })).toEqual(new Set([fine.id]));
    expect((await list({ tokenId: 4 })).items).toEqual([]);
    expect((await list({ failed: true })).items).toContainEqual(byKey);
  });

  it('forgets requests after 30 days', async () => {
    const old = entry({ time: new Date(Date.now() - 30 * DAY_MS - 1_000).toISOString() });
    const young = entry({ time: new Date(Date.now() - 30 * DAY_MS + 60_000).toISOString() });
    await record([old, young]);
    await new Housekeeping(platform.database, pino({ enabled: false }), provisioningSchema.retention).run();
    expect(await ids({})).toEqual([young.id]);
  });

  it.each([
    ['everything', '', 'scim_request_tenant_id_occurred_at_id_index'],
    ['failures', 'and status >= 400', 'scim_request_failed_index'],
    ['one token', `and caller_kind = 'scim-token' and caller_id = 3`, 'scim_request_token_index'],
  ])('reads %s through an index in the order of the list', async (_what, condition, index) => {
    const plan = await platform.database.transaction(tenant.id, async (tx) => {
      // A plan that still sorts has no index that gives the order.
      await managerFor(tx).query('set local enable_sort = off');
      return managerFor(tx).query<{ 'QUERY PLAN': string }[]>(
        `explain select * from scim_request
         where (occurred_at, id) < (now(), 'ffffffff-ffff-ffff-ffff-ffffffffffff') ${condition}
         order by occurred_at desc, id desc limit 101`,
      );
    });
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).toMatch(new RegExp(`Index Scan Backward using ${index}`));
    expect(text).not.toContain('Sort');
  });
});
