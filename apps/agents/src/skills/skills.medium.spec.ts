import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { explorerOf, grantsOf, viewerOf } from '../testing/agents-fixture';
import { startChat, type ChatFixture } from '../testing/chat-fixture';

const file = (name: string, content: string) => ({ name, content, problem: null });

describe('skills of agents', () => {
  let chat: ChatFixture;
  let deploymentId: number;

  beforeAll(async () => {
    chat = await startChat();
  });
  afterAll(() => chat?.stop());
  beforeEach(async () => {
    await chat.renew();
    deploymentId = chat.platform.surroundings.deployments.get(chat.admin().tenantId) ?? 0;
    chat.platform.surroundings.skills.clear();
    chat.platform.surroundings.skills.set('main', [
      file('broken', '---\ntitle: [\n---\nNever told'),
      file('year', '---\nname: fiscal\ntitle: Our year\ndescription: For years.\n---\nIt begins in April.'),
    ]);
    chat.platform.surroundings.skills.set('dev-ada', [file('draft', 'Say moo.')]);
  });

  const list = async (query: object = {}, who: Principal = chat.admin()) =>
    (await chat.platform.call(who, 'listAgentSkills', { path: { deploymentId }, query })).items;
  const refusal = (query: object, who: Principal, id = deploymentId) =>
    chat.platform.refusal(who, 'listAgentSkills', { path: { deploymentId: id }, query });

  it('are not there where the deployment or the branch is not', async () => {
    const { admin: stranger } = chat.platform.newAccount();
    expect(await refusal({}, stranger)).toEqual({ status: 404, code: 'deployment.not_found' });
    expect(await refusal({ branchName: 'nowhere' }, chat.admin())).toEqual({ status: 404, code: 'branch.not_found' });
  });

  it('are shown to those who see an agent, and those of unfinished work to those who read the data model', async () => {
    const denied = { status: 403, code: 'access.denied' };
    const explorer = explorerOf(chat.admin());
    expect(await refusal({}, explorer)).toEqual(denied);
    chat.platform.surroundings.agentPolicies.set(explorer.userId ?? 0, [{ agentId: 1, level: 'read' }]);
    expect(await list({ branchName: 'main' }, explorer)).toHaveLength(2);
    expect(await refusal({ branchName: 'dev-ada' }, viewerOf(chat.admin()))).toEqual(denied);
    const analyst = { ...explorer, grants: [...explorer.grants, ...grantsOf('SchemaRead')] };
    expect((await list({ branchName: 'dev-ada' }, analyst)).map(({ name }) => name)).toEqual(['draft']);
  });

  it('are listed by their files as the client reads them, with what is wrong with one', async () => {
    expect(await list({ branchName: '' })).toEqual([
      { name: 'broken', title: null, description: null, problem: expect.stringMatching(/front matter is no YAML/) },
      { name: 'fiscal', title: 'Our year', description: 'For years.', problem: null },
    ]);
    const page = await chat.platform.call(chat.admin(), 'listAgentSkills', {
      path: { deploymentId },
      query: { first: 1 },
    });
    const rest = await list({ first: 1, after: page.pageInfo.endCursor });
    expect([...page.items, ...rest].map(({ name }) => name)).toEqual(['broken', 'fiscal']);
    expect(await list({ space: `deployment-${deploymentId}` })).toHaveLength(2);
    expect(await list({ space: 'another' })).toEqual([]);
  });

  it('are told to the model before a question, those of the branch in question', async () => {
    const toldWith = async (body: object) => {
      chat.model.script({ says: 'Fine.' });
      await chat.ask({ input: 'When?', ...body });
      const [first] = chat.model.requests[0]?.body.messages ?? [];
      expect(first?.role).toBe('system');
      return String(first?.content);
    };
    const told = await toldWith({});
    expect(told).toContain('Skill fiscal (Our year): For years.\nIt begins in April.');
    expect(told).not.toContain('Never told');
    expect(await toldWith({ activeBranchName: 'dev-ada' })).toContain('Skill draft\nSay moo.');
  });
});
