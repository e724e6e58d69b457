import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { answerIn, chatIdIn, linesIn, startChat, type ChatFixture } from '../testing/chat-fixture';
import { sqlAnswer } from '../testing/surroundings';

const query = { calls: [{ name: 'cubeSqlApi', input: { sqlQuery: 'select count from orders' } }] };

describe('questions with a token of the deployment', () => {
  let chat: ChatFixture;
  let deploymentId: number;

  beforeAll(async () => {
    chat = await startChat('in-process');
  });
  afterAll(() => chat?.stop());
  beforeEach(async () => {
    await chat.renew();
    deploymentId = chat.platform.surroundings.deployments.get(chat.admin().tenantId) ?? 0;
    chat.platform.surroundings.engine = () => sqlAnswer(['count'], [['7']]);
    chat.platform.surroundings.isEmbeddingEnabled = true;
    chat.model.script({ says: 'Seven.' });
  });

  const holder = (asker: Partial<NonNullable<Principal['asker']>> = {}): Principal => ({
    ...chat.admin(),
    ...{ kind: 'deployment-token', isAdmin: false, deploymentIds: [deploymentId] },
    grants: [
      { action: 'AIBIView', deploymentIds: null },
      { action: 'DeploymentAgentRead', deploymentIds: [deploymentId] },
    ],
    asker: { externalId: 'ada', environmentId: null, securityContext: { plant: 7 }, ...asker },
  });
  const path = () => ({ accountName: chat.admin().tenantName, deploymentId });
  const refusal = (who: Principal, body: object = { input: 'x' }) =>
    chat.platform.refusal(who, 'streamDeploymentChatState', { path: path(), body });
  const ask = async (who: Principal, body: object = { input: 'How many?' }) =>
    linesIn(await chat.platform.stream(who, { path: path(), body }, 'streamDeploymentChatState'));

  it('are what the address of a deployment is for: with an API key it answers 403', async () => {
    const required = { status: 403, code: 'chat.agent_required' };
    expect(await refusal(chat.admin())).toEqual(required);
    const body = { chatId: '0b7bd1b6-1f3c-4f0e-9d2a-8f5b7c1f6a11' };
    expect(await chat.platform.refusal(chat.admin(), 'abortDeploymentChat', { path: path(), body })).toEqual(required);
  });

  it('are refused at other deployments, and for external users where embedding is off', async () => {
    const foreign = { ...holder(), deploymentIds: [1] };
    expect(await refusal(foreign)).toEqual({ status: 403, code: 'access.deployment_out_of_scope' });
    const byAgent = { path: chat.path(), body: { input: 'x' } };
    expect(await chat.platform.refusal(foreign, 'streamChatState', byAgent)).toMatchObject({ status: 403 });
    chat.platform.surroundings.isEmbeddingEnabled = false;
    expect(await refusal(holder())).toEqual({ status: 403, code: 'embedding.off' });
    expect(answerIn(await ask(holder({ externalId: null })))).toBe('Seven.');
  });

  it('look at the environment of the token and at no other', async () => {
    const none = { status: 404, code: 'environment.not_found' };
    expect(await refusal(holder(), { input: 'x', activeBranchName: 'next' })).toEqual(none);
    expect(await refusal(holder({ environmentId: 2 }))).toEqual(none);
    expect(answerIn(await ask(holder({ environmentId: 1 })))).toBe('Seven.');
  });

  it('run under the context of the token, whatever the request says of the user', async () => {
    chat.model.script(query, { says: 'Seven.' });
    const sessionSettings = { externalId: 'eve', securityContext: { plant: 1 } };
    const chatId = chatIdIn(await ask(holder(), { input: 'How many?', sessionSettings }));
    expect(chat.platform.surroundings.asked.at(-1)?.securityContext).toEqual({ plant: 7 });
    expect(await refusal(holder({ externalId: 'eve' }), { input: 'x', chatId })).toEqual({
      status: 403,
      code: 'chat.foreign',
    });
    const byKey = { ...chat.path(), sessionSettings: { externalId: 'ada' } };
    expect(answerIn(await chat.ask({ input: 'And now?', chatId, ...byKey }))).toBe('Seven.');
    await chat.platform.call(holder(), 'abortDeploymentChat', { path: path(), body: { chatId } });
    await chat.platform.call(holder(), 'abortChat', { path: chat.path(), body: { chatId } });
  });
});
