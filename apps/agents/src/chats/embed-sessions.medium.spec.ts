import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { embedUserOf, grantsOf } from '../testing/agents-fixture';
import { answerIn, chatIdIn, startChat, type ChatFixture } from '../testing/chat-fixture';
import { sqlAnswer } from '../testing/surroundings';

describe('questions in embed sessions', () => {
  let chat: ChatFixture;
  let deploymentId: number;
  let agentId: number;
  let user: Principal;

  beforeAll(async () => {
    chat = await startChat();
  });
  afterAll(() => chat?.stop());
  beforeEach(async () => {
    await chat.renew();
    const { surroundings } = chat.platform;
    deploymentId = surroundings.deployments.get(chat.admin().tenantId) ?? 0;
    surroundings.accountAllowsAi = true;
    const body = { name: 'Embedded', allowEmbedding: true };
    ({ id: agentId } = await chat.platform.call(chat.admin(), 'createAgent', { path: { deploymentId }, body }));
    user = embedUserOf(chat.admin(), deploymentId);
    session({});
    chat.model.script({ says: 'Seven.' });
  });

  const session = (settings: object, embedUserId = 7) =>
    chat.platform.surroundings.embedSessions.set(`session-${embedUserId}`, {
      ...{ settings, timeZone: null, branchName: 'next' },
      securityContext: { cubeCloud: { username: `embed-${embedUserId}` } },
    });
  const path = () => ({ accountName: chat.admin().tenantName, agentId });
  const refusal = (body: object = {}, who = user, more: object = {}) =>
    chat.platform.refusal(who, 'streamChatState', { path: { ...path(), ...more }, body: { input: 'x', ...body } });
  const linesOf = async (body: object = {}, who = user) => {
    const { stream } = await chat.platform.stream(who, { path: path(), body: { input: 'How many?', ...body } });
    let text = '';
    for await (const part of stream) text += Buffer.from(part).toString();
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Parameters<typeof chatIdIn>[0][number]);
  };
  const list = async (who = user) =>
    (await chat.platform.call(who, 'listAgents', { path: { deploymentId } })).items.map(({ name }) => name);

  const denied = { status: 403, code: 'access.denied' };

  it.each<[string, boolean, object]>([
    ['the session', true, { allowAi: false }],
    ['the account, and the session says nothing', false, {}],
    ['the account, and the session says null', false, { allowAi: null }],
  ])('are refused where %s has no AI, and nothing of the model is asked', async (_what, accountAllows, settings) => {
    chat.platform.surroundings.accountAllowsAi = accountAllows;
    session(settings);
    expect(await refusal()).toEqual(denied);
    const abort = { path: path(), body: { chatId: '0b7bd1b6-1f3c-4f0e-9d2a-8f5b7c1f6a11' } };
    expect(await chat.platform.refusal(user, 'abortChat', abort)).toEqual(denied);
    expect(await chat.platform.refusal(user, 'listAgents', { path: { deploymentId } })).toEqual(denied);
    expect(chat.model.requests).toEqual([]);
  });

  it('reach agents for host applications alone, whatever else a creator may do', async () => {
    const creator = { ...user, grants: [...user.grants, ...grantsOf('AIBIExplore', 'DeploymentAgentRead')] };
    const { agentId: automatic } = chat.path();
    for (const who of [user, creator]) {
      expect(await refusal({}, who, { agentId: automatic })).toEqual(denied);
      expect(await list(who)).toEqual(['Embedded']);
    }
    const elsewhere = { ...user, deploymentIds: [deploymentId + 1] };
    expect(await refusal({}, elsewhere)).toEqual({ status: 403, code: 'access.deployment_out_of_scope' });
  });

  it('are for the user of the session and nobody else', async () => {
    for (const settings of [{ internalId: chat.admin().email }, { externalId: 'eve' }, { groups: ['Finance'] }]) {
      expect(await refusal({ sessionSettings: settings })).toEqual({ status: 400, code: 'request.invalid' });
    }
    expect(await chat.platform.refusal(user, 'listChatThreads', { query: { externalId: 'eve' } })).toEqual(denied);
  });

  it("run under the session's context and on its branch, where it has AI", async () => {
    chat.platform.surroundings.accountAllowsAi = false;
    session({ allowAi: true });
    chat.platform.surroundings.engine = () => sqlAnswer(['count'], [['7']]);
    const call = { name: 'cubeSqlApi', input: { sqlQuery: 'select 1' } };
    chat.model.script({ calls: [call] }, { says: 'Seven.' });
    expect(answerIn(await linesOf({ activeBranchName: 'dev-ada' }))).toBe('Seven.');
    expect(chat.platform.surroundings.asked).toMatchObject([
      { securityContext: { cubeCloud: { username: 'embed-7' } }, branchName: 'next', caller: 'embed:7' },
    ]);
  });

  it('leave threads that are their own', async () => {
    const chatId = chatIdIn(await linesOf());
    const other = embedUserOf(chat.admin(), deploymentId, 8);
    session({}, 8);
    expect(await refusal({ chatId }, other)).toEqual({ status: 403, code: 'chat.foreign' });
    const threads = async (who: Principal) => (await chat.platform.call(who, 'listChatThreads', {})).items;
    expect(await threads(other)).toEqual([]);
    expect(await threads(user)).toMatchObject([{ chatId }]);
    expect(await chat.platform.refusal(other, 'getChatThread', { path: { chatId } })).toMatchObject({ status: 403 });
    await chat.platform.call(user, 'deleteChatThread', { path: { chatId } });
    expect(await threads(user)).toEqual([]);
  });
});
