import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { startAgents, transports, viewerOf, type AgentsFixture } from '../testing/agents-fixture';
import { sqlAnswer } from '../testing/surroundings';

/** The tools as clients know them. Whoever changes one breaks the prompts that people have written. */
const keptTools = (): object[] => JSON.parse(readFileSync(join(__dirname, 'kept-tools.json'), 'utf8')) as object[];

describe.each(transports)('messages of MCP over %s', (transport) => {
  let platform: AgentsFixture;
  let admin: Principal;
  let deploymentId: number;

  beforeAll(async () => {
    platform = await startAgents(transport);
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    ({ admin, deploymentId } = platform.newAccount());
    platform.surroundings.asked.length = 0;
  });

  const send = (method: string, params: object = {}, who = admin): Promise<ReplyOf<'callMcp'>> =>
    platform.call(who, 'callMcp', { body: { jsonrpc: '2.0', id: 7, method, params } });
  const tool = async (name: string, input: object, who = admin) => {
    const { result } = (await send('tools/call', { name, arguments: input }, who)) as unknown as {
      result: { isError?: boolean; content: { text: string }[] };
    };
    return { isError: result.isError === true, text: result.content[0]?.text ?? '' };
  };

  it('that are none, or of a version that nobody knows, are refused', async () => {
    for (const body of [{ jsonrpc: '2.0' }, { jsonrpc: '2.0', id: 1, method: 7 }]) {
      expect(await platform.refusal(admin, 'callMcp', { body })).toMatchObject({ status: 400 });
    }
    const version = { headers: { 'mcp-protocol-version': '1999-01-01' } } as object;
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect(await platform.refusal(admin, 'callMcp', { body, ...version })).toMatchObject({ status: 400 });
  });

  it('that want no answer get none, and unknown methods and tools an error of the protocol', async () => {
    const body = { jsonrpc: '2.0' as const, method: 'notifications/initialized' };
    expect(await platform.call(admin, 'callMcp', { body })).toBeUndefined();
    expect(await send('resources/list')).toMatchObject({ id: 7, error: { code: -32_601 } });
    expect(await send('tools/call', { name: 'nothing' })).toMatchObject({ id: 7, error: { code: -32_602 } });
  });

  it('list the same tools in the same order to everybody, and these alone', async () => {
    const { result } = (await send('tools/list')) as unknown as { result: { tools: object[] } };
    expect(result.tools).toEqual(keptTools());
    expect(((await send('tools/list', {}, viewerOf(admin))) as { result: object }).result).toEqual(result);
  });

  it('run queries under the security context of their user and no other, also where the query names one', async () => {
    platform.surroundings.engine = () => sqlAnswer(['n'], [['1']]);
    const viewer = viewerOf(admin);
    const told = await tool('query_sql', { deploymentId, sql: 'SELECT 1' }, viewer);
    expect(JSON.parse(told.text)).toMatchObject({ rows: [{ n: '1' }], totalRows: 1, isCut: false });
    await tool('query_data', { deploymentId, query: { securityContext: { cubeCloud: { userId: 1 } } } }, viewer);
    for (const { securityContext } of platform.surroundings.asked) {
      expect(securityContext).toEqual({ cubeCloud: { userId: viewer.userId } });
    }
    expect(platform.surroundings.asked).toHaveLength(2);
  });

  it('fail with a sentence of the engine, and with none of what went wrong inside', async () => {
    platform.surroundings.engine = () => '{"error":"no such column"}';
    expect(await tool('query_sql', { deploymentId, sql: 'SELECT 1' })).toEqual({
      isError: true,
      text: 'no such column',
    });
    platform.surroundings.engine = () => {
      throw new Error('password of the database: secret');
    };
    const failed = await tool('query_sql', { deploymentId, sql: 'SELECT 1' });
    expect(failed.isError).toBe(true);
    expect(failed.text).not.toContain('secret');
  });

  it('reach no deployment that the key is not for, nor one where its user may ask nothing', async () => {
    const limited = { ...admin, deploymentIds: [deploymentId + 1] };
    const elsewhere = { action: 'DeploymentAgentRead', deploymentIds: [deploymentId + 1] };
    for (const who of [limited, { ...viewerOf(admin), grants: [elsewhere] }]) {
      for (const [name, input] of [
        ['query_sql', { sql: 'SELECT 1' }],
        ['list_agents', {}],
        ['list_dashboards', {}],
        ['ask_agent', { question: 'How many?' }],
      ] as const) {
        expect(await tool(name, { deploymentId, ...input }, who)).toMatchObject({ isError: true });
      }
    }
    expect(platform.surroundings.asked).toEqual([]);
  });

  it('are about what an administrator has chosen, until that is gone', async () => {
    const { items } = await platform.call(admin, 'listAgents', { path: { deploymentId } });
    const agentId = items[0]?.id ?? 0;
    expect(await platform.refusal(admin, 'setMcpSettings', { body: { agentId } })).toMatchObject({ status: 400 });
    const foreign = { deploymentId: deploymentId + 1 };
    expect(await platform.refusal(admin, 'setMcpSettings', { body: foreign })).toMatchObject({ status: 404 });
    const wrong = { deploymentId, agentId: agentId + 1_000 };
    expect(await platform.refusal(admin, 'setMcpSettings', { body: wrong })).toMatchObject({ status: 404 });
    await platform.call(admin, 'setMcpSettings', { body: { deploymentId, agentId } });
    expect(await platform.call(admin, 'getMcpSettings')).toMatchObject({ deploymentId, agentId });
    const stranger = platform.newAccount().admin;
    expect(await platform.call(stranger, 'getMcpSettings')).toMatchObject({ deploymentId: null, agentId: null });
    platform.surroundings.engine = () => sqlAnswer(['n'], []);
    expect(await tool('query_sql', { sql: 'SELECT 1' })).toMatchObject({ isError: false });
    await platform.call(admin, 'setMcpSettings', { body: {} });
    expect(await platform.call(admin, 'getMcpSettings')).toMatchObject({ deploymentId: null, agentId: null });
  });
});
