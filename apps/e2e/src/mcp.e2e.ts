import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { startScriptedModel, until, type ScriptedModel, type TestDatabase } from '@plinth/testing';
import type { ApiClient } from './harness/api-client';
import { FormBrowser } from './harness/form-browser';
import { callTool, connectWith, McpPerson, type ToolReply } from './harness/mcp-person';
import { otherTenant } from './harness/other-tenant';
import { createShopDatabase, Shop } from './harness/shop';
import { createDeployment, uniqueName } from './harness/story';
import { isOnNats, topologies } from './harness/topologies';
import type { Topology } from './harness/topology';

const password = 'correct horse battery staple';
const SCOPE = 'mcp-agent-access';
/** Customers, of whom everybody sees those of their own city. */
const neighbours = {
  path: 'model/cubes/neighbours.js',
  content: `cube('neighbours', {
    sql_table: 'customers',
    dimensions: { id: { sql: 'id', type: 'number', primary_key: true }, city: { sql: 'city', type: 'string' } },
    measures: { count: { type: 'count' } },
    access_policy: [{ group: '*', row_level: { filters: [
      { member: 'city', operator: 'equals', values: [securityContext.cubeCloud.userAttributes.city] }] } }],
  });\n`,
};
const NEIGHBOURS = 'SELECT city, MEASURE(count) AS n FROM neighbours GROUP BY 1';

describe.each(topologies)('the MCP server: %s', (name, start) => {
  let topology: Topology;
  let admin: ApiClient;
  let database: TestDatabase;
  let model: ScriptedModel;
  let shop: Shop;
  let cityId: string;
  let workbookId: number;

  beforeAll(async () => {
    model = await startScriptedModel();
    topology = await start();
    ({ admin } = topology);
    database = await createShopDatabase();
    shop = await Shop.open(admin, database, [neighbours]);
    cityId = String((await admin.call('createUserAttribute', { body: { name: 'city', type: 'string' } })).id);
    workbookId = (await admin.call('createWorkbook', { path: shop.path, body: { name: 'Neighbours' } })).id;
    const jsonQuery = JSON.stringify({ measures: ['neighbours.count'], dimensions: ['neighbours.city'] });
    const body = { name: 'By city', workbookId, jsonQuery };
    const { id: reportId } = await admin.call('createReport', { path: shop.path, body });
    const widgets = [{ id: 'a', type: 'CHART' as const, position: { x: 0, y: 0, w: 6, h: 4 }, config: { reportId } }];
    const path = { ...shop.path, workbookId };
    await admin.call('publishDashboard', { path, body: { workbookId, config: { widgets } } });
    await admin.call('updateTenantSettings', { body: { allowPersonalApiKeys: true } });
  });
  afterAll(async () => {
    await topology?.stop();
    await database?.drop();
    await model?.stop();
  });

  /** A user who sees the customers of a city. */
  const personIn = async (city: string, role = 'Viewer', clientId?: string): Promise<McpPerson> => {
    const username = uniqueName(city).toLowerCase().replaceAll(' ', '-');
    const account = { email: `${username}@acme.test`, password };
    const body = { ...account, username, ...(role === 'Admin' ? { isAdmin: true } : { defaultRoles: [role] }) };
    const { id } = await admin.call('createUser', { body });
    const value = { userId: String(id), userAttributeId: cityId, value: city };
    await admin.call('upsertUserAttributeValue', { body: value });
    return new McpPerson(admin.baseUrl, account, clientId);
  };
  const keyOf = async (role: string, ...more: string[]): Promise<string> => {
    const email = `${uniqueName(role).toLowerCase().replaceAll(' ', '-')}@acme.test`;
    const words = ['--tenant', topology.tenant, '--email', email, '--role', role, ...more];
    return `Bearer ${String((await topology.plinth('api-keys', 'create', ...words))['apiKey'])}`;
  };
  const cities = ({ value }: ToolReply): unknown =>
    (value as { rows: { city: string }[] }).rows.map(({ city }) => city);
  const post = (headers: Record<string, string>, body: object = { jsonrpc: '2.0', id: 1, method: 'tools/list' }) =>
    fetch(new URL('/api/mcp', admin.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    });
  const seen = (client: Client) => callTool(client, 'query_sql', { ...shop.path, sql: NEIGHBOURS });

  it('shows two users of one deployment their own rows: in queries, and on a dashboard', async () => {
    const [ada, eve] = [await personIn('Lyon', 'Admin'), await personIn('Pune', 'Admin')];
    const [lyon, pune] = [await ada.connect(), await eve.connect()];
    expect([cities(await seen(lyon)), cities(await seen(pune))]).toEqual([['Lyon'], ['Pune']]);
    const query = { measures: ['neighbours.count'], dimensions: ['neighbours.city'] };
    const asJson = await callTool(pune, 'query_data', { ...shop.path, query });
    expect(asJson.value).toMatchObject({ rows: [{ 'neighbours.city': 'Pune' }], totalRows: 1, isCut: false });
    const listed = await callTool(pune, 'list_dashboards', { ...shop.path });
    expect(listed.value).toMatchObject({ dashboards: [{ workbookId, name: 'Neighbours' }] });
    const charts = await callTool(pune, 'read_dashboard', { ...shop.path, workbookId });
    expect(charts.value).toMatchObject({ charts: [{ rows: [{ 'neighbours.city': 'Pune' }], totalRows: 1 }] });
  });

  // The rest is what one service does.
  if (!isOnNats(name)) return;

  it('tells a client without a token where there is one, by the addresses that standards know', async () => {
    const refused = await post({});
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    expect(challenge).toContain(`scope="${SCOPE}"`);
    const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const resource = `${admin.baseUrl}/api/mcp`;
    expect(await (await fetch(address)).json()).toMatchObject({
      resource,
      authorization_servers: [admin.baseUrl],
      scopes_supported: [SCOPE],
    });
    const metadata = await (await fetch(`${admin.baseUrl}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      issuer: admin.baseUrl,
      registration_endpoint: expect.any(String),
      code_challenge_methods_supported: ['S256'],
      scopes_supported: expect.arrayContaining([SCOPE]),
    });
  });

  it('refuses tokens for the API, other audiences, other sites, and versions of the protocol that it does not speak', async () => {
    const person = await personIn('Lyon');
    await (await person.connect()).close();
    const account = (person as unknown as { account: { email: string } }).account;
    const { access_token: api } = await new FormBrowser(admin.baseUrl).connect(account.email, password);
    const wrong = await post({ authorization: `Bearer ${api}` });
    expect(wrong.status).toBe(403);
    expect(wrong.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    const elsewhere = new URL(person.sentTo ?? '');
    elsewhere.searchParams.set('resource', 'https://elsewhere.example/api/mcp');
    const { headers } = await fetch(elsewhere, { redirect: 'manual' });
    expect(headers.get('location')).toContain('error=invalid_target');
    const authorization = await keyOf('Viewer');
    expect((await post({ authorization, origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ authorization, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    expect((await post({ authorization }, [] as unknown as object)).status).toBe(400);
    expect((await post({ authorization, origin: admin.baseUrl })).status).toBe(200);
    const stream = await fetch(new URL('/api/mcp', admin.baseUrl), { headers: { authorization } });
    expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each([['that registers itself', undefined] as const, ['that is known already', 'cube-mcp-client'] as const])(
    'lets a client %s in with the approval of its user, to this and to nothing else, until the token is revoked',
    async (_which, clientId) => {
      const person = await personIn('Lyon', 'Viewer', clientId);
      const client = await person.connect();
      expect(client.getServerVersion()).toMatchObject({ name: 'plinth' });
      const tokens = person.tokens();
      expect(tokens).toMatchObject({ scope: SCOPE, refresh_token: expect.any(String) });
      const authorization = `Bearer ${tokens?.access_token}`;
      for (const operationId of ['getCurrentUser', 'getDeployments', 'listChatThreads'] as const) {
        const refusal = await admin.as(authorization).refusal(operationId);
        expect(refusal).toMatchObject({ status: 403, code: 'access.credential_not_accepted' });
      }
      expect((await shop.load(tokens?.access_token, { measures: ['orders.count'] })).status).toBe(403);
      expect(cities(await seen(client))).toEqual(['Lyon']);
      const body = new URLSearchParams({
        client_id: person.clientInformation()?.client_id ?? '',
        token: tokens?.refresh_token ?? '',
      });
      expect((await fetch(new URL('/auth/revoke', admin.baseUrl), { method: 'POST', body })).status).toBe(200);
      await until(
        'the token is refused',
        () => post({ authorization }),
        ({ status }) => status === 401,
        1_000,
      );
    },
  );

  it('tells what is wrong in sentences, and opens neither deployments of others nor those that a key is not for', async () => {
    const client = await connectWith(admin.baseUrl, await keyOf('Viewer'));
    const wrong = await callTool(client, 'query_sql', { ...shop.path, sql: 'SELECT nonsense FROM nowhere' });
    expect(wrong).toMatchObject({ isError: true, value: expect.stringContaining('nowhere') });
    const missing = await callTool(client, 'query_sql', { ...shop.path });
    expect(missing).toMatchObject({ isError: true, value: expect.stringContaining('sql') });
    await expect(client.callTool({ name: 'drop_everything' })).rejects.toThrow('There is no tool drop_everything');
    const stranger = await otherTenant(topology);
    const { id: deploymentId } = await createDeployment(stranger.admin);
    const theirs = await callTool(client, 'query_sql', { deploymentId, sql: 'SELECT 1' });
    expect(theirs).toMatchObject({ isError: true, value: expect.stringContaining('deployment') });
    const limited = await connectWith(
      admin.baseUrl,
      await keyOf('Viewer', '--deployments', String(deploymentId + 1_000)),
    );
    expect(await seen(limited)).toMatchObject({ isError: true, value: expect.stringContaining('limited') });
    expect(await callTool(limited, 'list_dashboards', { ...shop.path })).toMatchObject({ isError: true });
  });

  it('answers the first rows with the number of all, and the statement of a query without running it', async () => {
    const client = await connectWith(admin.baseUrl, await keyOf('Viewer'));
    const query = { dimensions: ['orders.id'], order: { 'orders.id': 'asc' }, limit: 500 };
    const first = await callTool(client, 'query_data', { ...shop.path, query, limit: 3 });
    expect(first.value).toMatchObject({ rows: expect.any(Array), totalRows: 500, isCut: true });
    expect((first.value as { rows: unknown[] }).rows).toHaveLength(3);
    const views = await callTool(client, 'list_views', { ...shop.path, search: 'orders' });
    expect(views.value).toMatchObject({ views: expect.arrayContaining([expect.objectContaining({ name: 'orders' })]) });
    const sql = 'SELECT status, MEASURE(count) FROM orders GROUP BY 1';
    for (const asked of [{ query: { measures: ['orders.count'] } }, { sql }]) {
      const { value } = await callTool(client, 'get_sql', { ...shop.path, ...asked });
      expect(value).toMatchObject({ sql: expect.stringMatching(/count\(/i) });
    }
  });

  it('asks the agent and the deployment that administrators have chosen, with the rights of the user', async () => {
    const { items } = await admin.call('listAgents', { path: shop.path });
    const chosen = { ...shop.path, agentId: items[0]?.id ?? 0 };
    const viewer = await keyOf('Viewer');
    expect(await admin.as(viewer).refusal('setMcpSettings', { body: chosen })).toMatchObject({ status: 403 });
    expect(await admin.refusal('setMcpSettings', { body: { ...chosen, agentId: 999_999 } })).toMatchObject({
      status: 404,
    });
    await admin.call('setMcpSettings', { body: chosen });
    const url = `${admin.baseUrl}/api/mcp`;
    expect(await admin.as(viewer).call('getMcpSettings')).toEqual({ url, ...chosen });
    const provider = { kind: 'openai-compatible' as const, baseUrl: model.baseUrl, model: 'large-1', key: 'sk-secret' };
    await admin.call('setAiProvider', { body: provider });
    const call = { name: 'cubeSqlApi', input: { sqlQuery: NEIGHBOURS } };
    model.script({ calls: [call] }, { says: 'There they are.' });
    const client = await (await personIn('Pune')).connect();
    const asked = await callTool(client, 'ask_agent', { question: 'Where do my neighbours live?' });
    expect(asked.value).toMatchObject({
      isComplete: true,
      answer: 'There they are.',
      queries: [{ sql: NEIGHBOURS, totalRows: 1 }],
    });
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain('Pune');
    const { chatId } = asked.value as { chatId: string };
    expect((await callTool(client, 'ask_agent', { chatId })).value).toMatchObject({ answer: 'There they are.' });
    const other = await (await personIn('Lyon')).connect();
    expect(await callTool(other, 'ask_agent', { chatId })).toMatchObject({ isError: true });
    expect(cities(await callTool(client, 'query_sql', { sql: NEIGHBOURS }))).toEqual(['Pune']);
    const { deployments } = (await callTool(client, 'list_deployments')).value as { deployments: object[] };
    expect(deployments).toEqual([expect.objectContaining({ id: shop.deploymentId, isDefault: true })]);
  });
});
