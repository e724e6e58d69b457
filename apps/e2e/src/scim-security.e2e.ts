import { createEmptyDatabase, deadlineMs, until, type TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import type { ApiClient, ApiReply } from './harness/api-client';
import { startSeparateServices } from './harness/separate-services';
import type { Topology } from './harness/topology';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const users = '/api/scim/v2/Users';
const groups = '/api/scim/v2/Groups';
const password = 't1meless-Secret';
const REQUESTS_PER_MINUTE = 400;

describe('what SCIM keeps to itself', () => {
  let database: TestDatabase;
  let topology: Topology;
  let admin: ApiClient;
  let secret: string;
  let tokenId: number;
  let okta: ApiClient;

  beforeAll(async () => {
    database = await createEmptyDatabase();
    const environment = {
      PLINTH_DATABASE_URL: database.url,
      PLINTH_LOG_LEVEL: 'debug',
      PLINTH_RATE_LIMIT_PER_MINUTE: String(REQUESTS_PER_MINUTE),
    };
    topology = await startSeparateServices({ buildWorkers: 0, runtimes: 0, services: ['scim'], environment });
    ({ admin } = topology);
    await admin.call('updateTenantSettings', { body: { auditLogEnabled: true } });
    ({ token: secret, id: tokenId } = await admin.call('createScimToken', { body: { name: 'Okta' } }));
    okta = admin.as(`Bearer ${secret}`);
  });
  afterAll(async () => {
    await topology?.stop();
    await database?.drop();
  });

  const idOf = ({ body }: ApiReply): string => (body as { id: string }).id;
  const patch = (path: string, ...Operations: object[]) =>
    okta.send('PATCH', path, { body: { schemas: [PATCH], Operations } });
  const auditLog = async (): Promise<string> => {
    const headers = { authorization: admin.credential };
    return (await fetch(`${admin.baseUrl}/api/v1/audit-logs/export`, { headers })).text();
  };
  const asOwner = async (statement: string): Promise<void> => {
    const owner = new Client({ connectionString: database.url });
    await owner.connect();
    try {
      await owner.query(statement);
    } finally {
      await owner.end();
    }
  };

  /** Every kind of write, with passwords where an identity provider sends them; each must succeed. */
  async function writeEverything(): Promise<void> {
    const done = async (reply: Promise<ApiReply>): Promise<ApiReply> => {
      const answered = await reply;
      expect(answered.status).toBeLessThan(300);
      expect(JSON.stringify(answered.body ?? '')).not.toContain(password);
      return answered;
    };
    const body = { userName: 'ada@acme.test', password };
    const user = `${users}/${idOf(await done(okta.send('POST', users, { body })))}`;
    await done(okta.send('PUT', user, { body: { ...body, title: 'Countess' } }));
    await done(patch(user, { op: 'replace', value: { password } }));
    await done(patch(user, { op: 'Replace', path: 'password', value: password }));
    const group = `${groups}/${idOf(await done(okta.send('POST', groups, { body: { displayName: 'Analysts' } })))}`;
    const members = [{ value: user.split('/').at(-1) }];
    await done(patch(group, { op: 'add', path: 'members', value: members }));
    await done(okta.send('PUT', group, { body: { displayName: 'Engineers', members } }));
    await done(okta.send('DELETE', group));
    await done(patch(user, { op: 'replace', path: 'active', value: false }));
    await done(okta.send('DELETE', user));
  }

  it('113 every change is audited with the token as actor; passwords and tokens are in no log', async () => {
    await writeEverything();
    await okta.send('POST', users, { body: { password } });
    await okta.send('GET', users, { query: { filter: `password eq "${password}"`, token: secret } });
    await admin.as(`Bearer ${secret}x`).send('GET', users);
    const eventsIn = (text: string) => text.split('\r\n').filter((line) => line.includes('via SCIM"'));
    const log = await until('the events', auditLog, (text) => eventsIn(text).length >= 10);
    const events = eventsIn(log);
    for (const event of events) expect(event).toContain(`"scim-token","scim-token:${tokenId}"`);
    const counts = new Map<string, number>();
    for (const event of events) {
      const name = event.split('"')[1] ?? '';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({
      'Created user via SCIM': 1,
      'Updated user via SCIM': 4,
      'Deleted user via SCIM': 1,
      'Created group via SCIM': 1,
      'Updated group via SCIM': 2,
      'Deleted group via SCIM': 1,
    });
    const { items } = await until(
      'the list of requests',
      () => admin.call('listScimRequests', { query: { first: 500 } }),
      (page) => page.items.some(({ code }) => code === 'auth.credential_invalid'),
    );
    const lines = [...topology.processes.values()].flatMap((child) => child.lines);
    expect(lines.filter((line) => line.includes(users)).length).toBeGreaterThan(5);
    for (const record of [log, JSON.stringify(items), lines.join('\n')]) {
      expect(record).not.toContain(password);
      expect(record).not.toContain(secret);
    }
  });

  it('115 a failure inside answers a SCIM error with the status 500, which tells nothing of the database', async () => {
    await asOwner('alter table control_plane.user_group rename to hidden_group');
    const replies: ApiReply[] = [];
    try {
      replies.push(await okta.send('GET', groups), await okta.send('POST', groups, { body: { displayName: 'Ops' } }));
    } finally {
      await asOwner('alter table control_plane.hidden_group rename to user_group');
    }
    for (const { status, headers, body } of replies) {
      expect(status).toBe(500);
      expect(headers['content-type']).toMatch(/^application\/scim\+json/);
      expect(body).toEqual({ schemas: [ERROR], status: '500', detail: 'Something went wrong on our side' });
    }
    const { items } = await until(
      'both failures in the list',
      () => admin.call('listScimRequests', { query: { failed: true } }),
      (page) => page.items.filter(({ status }) => status === 500).length === 2,
    );
    expect(JSON.stringify(items)).not.toMatch(/user_group|select|relation/);
    expect((await okta.send('GET', groups)).status).toBe(200);
  });

  it('106 a token that has expired: 401 in the form of SCIM', async () => {
    const expiresAt = new Date(Date.now() + deadlineMs(3_000)).toISOString();
    const { id, token } = await admin.call('createScimToken', { body: { name: 'Short', expiresAt } });
    const client = admin.as(`Bearer ${token}`);
    expect((await client.send('GET', users, { query: { count: 0 } })).status).toBe(200);
    const reply = await until(
      'the token to expire',
      () => client.send('GET', users, { query: { count: 0 } }),
      ({ status }) => status !== 200,
    );
    expect(Date.now()).toBeGreaterThanOrEqual(new Date(expiresAt).getTime());
    expect(reply).toMatchObject({ status: 401, body: { schemas: [ERROR], status: '401' } });
    expect(reply.headers['www-authenticate']).toContain('Bearer');
    await admin.call('deleteScimToken', { path: { scimTokenId: id } });
  });

  it('104 too many requests: 429 in the form of SCIM, with the seconds to wait, for that token alone', async () => {
    const { token } = await admin.call('createScimToken', { body: { name: 'Hasty' } });
    const hasty = admin.as(`Bearer ${token}`);
    const ask = () => hasty.send('GET', '/api/scim/v2/ServiceProviderConfig');
    for (let count = 0; count < REQUESTS_PER_MINUTE; count += 1) expect((await ask()).status).toBe(200);
    const reply = await ask();
    expect(reply).toMatchObject({
      status: 429,
      headers: { 'content-type': expect.stringMatching(/^application\/scim\+json/) },
      body: { schemas: [ERROR], status: '429', detail: expect.stringMatching(/./) },
    });
    expect(reply.headers['retry-after']).toMatch(/^[1-9]\d?$/);
    expect((await okta.send('GET', '/api/scim/v2/ServiceProviderConfig')).status).toBe(200);
  });
});
