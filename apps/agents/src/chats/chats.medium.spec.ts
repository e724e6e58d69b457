import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { until } from '@plinth/testing';
import { answerIn, chatIdIn, startChat, type ChatFixture } from '../testing/chat-fixture';
import { sqlAnswer } from '../testing/surroundings';

const UNKNOWN = '0b7bd1b6-1f3c-4f0e-9d2a-8f5b7c1f6a11';
const query = { calls: [{ name: 'cubeSqlApi', input: { sqlQuery: 'select count from orders' } }] };

describe('questions to agents', () => {
  let chat: ChatFixture;

  beforeAll(async () => {
    chat = await startChat('in-process', { PLINTH_AGENT_TURNS_MAX: '2' });
  });
  afterAll(() => chat?.stop());
  beforeEach(async () => {
    await chat.renew();
    chat.model.script({ says: 'Seven.' });
  });

  const refusal = (body: object, who = chat.admin(), path: object = {}) =>
    chat.platform.refusal(who, 'streamChatState', { path: { ...chat.path(), ...path }, body });
  const as = (who: Principal) => ({ sessionSettings: { internalId: who.email } });
  const own = () => as(chat.admin());
  const external = (externalId: string, more: object = {}) => ({ sessionSettings: { externalId, ...more } });

  it('find nothing at the address of another account or agent', async () => {
    const body = { input: 'x', ...own() };
    expect(await refusal(body, chat.admin(), { accountName: 'other' })).toEqual({
      status: 404,
      code: 'account.not_found',
    });
    expect(await refusal(body, chat.admin(), { agentId: 999_999 })).toEqual({ status: 404, code: 'agent.not_found' });
    const { admin: stranger } = chat.platform.newAccount();
    const path = { accountName: stranger.tenantName };
    expect(await refusal(body, stranger, path)).toEqual({ status: 404, code: 'agent.not_found' });
  });

  it('are refused to a key that is limited to another deployment', async () => {
    const limited = { ...chat.admin(), deploymentIds: [1] };
    expect(await refusal({ input: 'x', ...own() }, limited)).toEqual({
      status: 403,
      code: 'access.deployment_out_of_scope',
    });
  });

  it('say for whom they are asked, in one way', async () => {
    const both = { sessionSettings: { internalId: 'a@b.test', externalId: 'ada' } };
    const foreign = { sessionSettings: { internalId: chat.admin().email, groups: ['Finance'] } };
    const noZone = { sessionSettings: { internalId: chat.admin().email, timezone: 'Mars/Olympus' } };
    for (const body of [{}, both, foreign, noZone]) {
      expect(await refusal({ input: 'x', ...body })).toEqual({ status: 400, code: 'request.invalid' });
    }
    const nobody = { sessionSettings: { internalId: 'nobody@example.com' } };
    expect(await refusal({ input: 'x', ...nobody })).toEqual({ status: 404, code: 'user.not_found' });
  });

  it('are asked for others by administrators alone', async () => {
    const denied = { status: 403, code: 'access.denied' };
    expect(await refusal({ input: 'x', ...own() }, chat.viewer())).toEqual(denied);
    expect(await refusal({ input: 'x', ...external('ada') }, chat.viewer())).toEqual(denied);
    expect(answerIn(await chat.ask({ input: 'x' }, chat.viewer()))).toBe('Seven.');
    const { status } = await chat.platform.refusal(chat.viewer(), 'listChatThreads', { query: { externalId: 'ada' } });
    expect(status).toBe(403);
  });

  it('get other numbers for other users: each query runs as whoever asks', async () => {
    chat.platform.surroundings.engine = ({ securityContext }) =>
      sqlAnswer(['count'], [[String((securityContext['cubeCloud'] as { userId: number }).userId)]]);
    const numbers: unknown[] = [];
    for (const who of [chat.admin(), chat.viewer()]) {
      chat.model.script(query, ({ body }) => ({ says: String(body.messages.at(-1)?.content) }));
      numbers.push(JSON.parse(answerIn(await chat.ask({ input: 'How many?' }, who)) ?? '{}'));
    }
    expect(numbers).toMatchObject([{ data: [[`${chat.admin().userId}`]] }, { data: [[`${chat.viewer().userId}`]] }]);
  });

  it('run for an external user with what the key says of them', async () => {
    chat.platform.surroundings.engine = () => sqlAnswer(['count'], [['7']]);
    chat.model.script(query, { says: 'Seven.' });
    const given = { groups: ['Finance'], userAttributes: [{ name: 'desk', value: 3 }], securityContext: { plant: 7 } };
    await chat.ask({ input: 'How many?', ...external('ada', given) });
    expect(chat.platform.surroundings.asked[0]?.securityContext).toEqual({
      plant: 7,
      cubeCloud: {
        ...{ username: 'ada', externalId: 'ada', email: null, roles: [] },
        groups: ['Finance'],
        userAttributes: { region: 'EU', desk: 3 },
      },
    });
    chat.platform.surroundings.isEmbeddingEnabled = false;
    expect(await refusal({ input: 'x', ...external('ada') })).toEqual({ status: 403, code: 'embedding.off' });
    chat.platform.surroundings.isEmbeddingEnabled = true;
  });

  it('look at the branch that they name, and at nobody’s unfinished work', async () => {
    chat.platform.surroundings.engine = () => sqlAnswer(['count'], [['7']]);
    chat.model.script(query, { says: 'Seven.' });
    await chat.ask({ input: 'x', activeBranchName: 'next' });
    expect(chat.platform.surroundings.asked[0]).toMatchObject({ branchName: 'next', isProduction: false });
    const none = { status: 404, code: 'environment.not_found' };
    expect(await refusal({ input: 'x', activeBranchName: 'nowhere', ...own() })).toEqual(none);
    const viewer = chat.viewer();
    expect(await refusal({ input: 'x', activeBranchName: 'dev-ada', ...as(viewer) }, viewer)).toEqual(none);
  });

  it('take a language model and a budget', async () => {
    const body = { kind: 'openai-compatible', baseUrl: chat.model.baseUrl, model: 'm', monthlyTokensPerUser: 20 };
    await chat.platform.call(chat.admin(), 'setAiProvider', { body });
    for (let turn = 0; turn < 2; turn += 1) await chat.ask({ input: 'x' });
    expect(await refusal({ input: 'x', ...own() })).toEqual({ status: 429, code: 'ai_budget.spent' });
    expect(answerIn(await chat.ask({ input: 'x' }, chat.viewer()))).toBe('Seven.');
    await chat.platform.call(chat.admin(), 'setAiProvider', { body: { ...body, monthlyTokens: 45 } });
    const viewer = chat.viewer();
    expect(await refusal({ input: 'x', ...as(viewer) }, viewer)).toEqual({ status: 429, code: 'ai_budget.spent' });
    await chat.platform.call(chat.admin(), 'deleteAiProvider');
    expect(await refusal({ input: 'x', ...own() })).toEqual({ status: 409, code: 'ai_provider.missing' });
  });

  it('are no more at a time than the process bears', async () => {
    chat.model.script({ says: 'Well', stalls: true });
    const readers = [await chat.open({ input: 'a' }), await chat.open({ input: 'b' })];
    expect(await refusal({ input: 'c', ...own() })).toEqual({ status: 503, code: 'chat.overloaded' });
    for (const reader of readers) {
      const { value } = (await reader.next()) as { value: { state: { chatId: string } } };
      const path = { chatId: value.state.chatId };
      await chat.platform.call(chat.admin(), 'deleteChatThread', { path });
      for (let step = await reader.next(); !step.done; step = await reader.next()) expect(step.value).toBeDefined();
    }
    chat.model.script({ says: 'Seven.' });
    expect(answerIn(await chat.ask({ input: 'c' }))).toBe('Seven.');
  });

  it('are no more than that, also when they come at once', async () => {
    chat.model.script({ says: 'Well', stalls: true });
    const body = { input: 'a', ...own() };
    const asked = Array.from({ length: 8 }, () => chat.platform.stream(chat.admin(), { path: chat.path(), body }));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const { items } = await chat.platform.call(chat.admin(), 'listChatThreads');
    expect(items).toHaveLength(2);
    for (const { chatId } of items) await chat.platform.call(chat.admin(), 'deleteChatThread', { path: { chatId } });
    await until(
      'the places to be free',
      () => chat.platform.stream(chat.admin(), { path: chat.path(), body: { ...body, input: 'b' } }).catch(() => null),
      (reply) => reply !== null,
    );
    const [last] = (await chat.platform.call(chat.admin(), 'listChatThreads')).items;
    await chat.platform.call(chat.admin(), 'deleteChatThread', { path: { chatId: last?.chatId } });
  });

  it('are answered one at a time in a thread, whichever replicas are asked at once', async () => {
    const chatId = chatIdIn(await chat.ask({ input: 'How many?' }));
    const other = await chat.platform.addReplica();
    chat.model.script({ says: 'Well', stalls: true });
    // All of them in one millisecond.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const asked = Array.from({ length: 8 }, (_none, n) =>
      chat.platform.refusal(chat.admin(), 'streamChatState', {
        path: chat.path(),
        body: { input: `${n}`, chatId, ...own() },
      }),
    );
    const outcomes = await Promise.allSettled(asked);
    clock.mockRestore();
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    const { messages } = await chat.platform.call(chat.admin(), 'getChatThread', { path: { chatId } });
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
    await chat.platform.call(chat.admin(), 'deleteChatThread', { path: { chatId } });
    await other.close();
  });

  it('have no room in a thread that is full, and no more is read of one than is held at once', async () => {
    const chatId = chatIdIn(await chat.ask({ input: 'How many?' }));
    const text = `insert into chat_message (tenant_id, thread_id, sort, line)
      select tenant_id, thread_id, sort + number, line || jsonb_build_object('content', repeat('x', 1 << 20))
      from chat_message, generate_series(4000, 4011) number where thread_id = $1 and sort = 1`;
    await chat.platform.database.readAsSystem({ name: 'fill', text }, [chatId]);
    const { messages } = await chat.platform.call(chat.admin(), 'getChatThread', { path: { chatId } });
    expect(messages).toHaveLength(7);
    expect(answerIn(await chat.ask({ input: 'And now?', chatId }))).toBe('Seven.');
    const last = 'update chat_message set sort = 5000 where thread_id = $1 and sort = 4012';
    await chat.platform.database.readAsSystem({ name: 'last', text: last }, [chatId]);
    expect(await refusal({ input: 'x', chatId, ...own() })).toEqual({ status: 409, code: 'chat.full' });
  });

  it('are gone with their user, and nobody else is', async () => {
    const [mine, theirs] = [await chat.ask({ input: 'a' }), await chat.ask({ input: 'b' }, chat.viewer())].map(
      chatIdIn,
    );
    const { tenantId } = chat.admin();
    const events = [{ eventId: randomUUID(), type: 'user.deleted', payload: { userId: chat.viewer().userId } }];
    await chat.platform.call(systemPrincipal(tenantId), 'deliverEventsToAgents', { body: { tenantId, events } });
    const listed = async (who: Principal) =>
      (await chat.platform.call(who, 'listChatThreads')).items.map(({ chatId }) => chatId);
    expect([await listed(chat.admin()), await listed(chat.viewer())]).toEqual([[mine], []]);
    expect(theirs).toBeDefined();
  });

  it('belong to threads of their owner, who alone reads, continues, ends and deletes them', async () => {
    const chatId = chatIdIn(await chat.ask({ input: 'How many?' }));
    const viewer = chat.viewer();
    const foreign = { status: 403, code: 'chat.foreign' };
    expect(await refusal({ input: 'x', chatId, ...as(viewer) }, viewer)).toEqual(foreign);
    expect(await refusal({ chatId, ...external('ada') })).toEqual(foreign);
    const path = { chatId };
    expect(await chat.platform.refusal(viewer, 'getChatThread', { path })).toEqual(foreign);
    expect(await chat.platform.refusal(viewer, 'deleteChatThread', { path })).toEqual(foreign);
    const aborted = { path: chat.path(), body: { chatId, ...as(viewer) } };
    expect(await chat.platform.refusal(viewer, 'abortChat', aborted)).toEqual(foreign);
    const unknown = { status: 404, code: 'chat.not_found' };
    expect(await refusal({ input: 'x', chatId: UNKNOWN, ...own() })).toEqual(unknown);
    const { admin: stranger } = chat.platform.newAccount();
    expect(await chat.platform.refusal(stranger, 'getChatThread', { path })).toEqual(unknown);
    expect((await chat.platform.call(viewer, 'listChatThreads')).items).toEqual([]);
    expect((await chat.platform.call(chat.admin(), 'listChatThreads')).items).toMatchObject([
      { chatId, title: 'How many?', isStreaming: false },
    ]);
    const { messages } = await chat.platform.call(chat.admin(), 'getChatThread', { path });
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'How many?'],
      ['assistant', 'Seven.'],
    ]);
    await chat.platform.call(chat.admin(), 'deleteChatThread', { path });
    expect(await chat.platform.refusal(chat.admin(), 'getChatThread', { path })).toEqual(unknown);
  });

  it('are listed page by page, newest first', async () => {
    const ids: string[] = [];
    for (const input of ['a', 'b', 'c']) ids.unshift(chatIdIn(await chat.ask({ input })));
    const first = await chat.platform.call(chat.admin(), 'listChatThreads', { query: { first: 2 } });
    const after = first.pageInfo.endCursor;
    const second = await chat.platform.call(chat.admin(), 'listChatThreads', { query: { first: 2, after } });
    expect([...first.items, ...second.items].map(({ chatId }) => chatId)).toEqual(ids);
  });

  it('block no thread for ever when the process that answers is killed', async () => {
    let goOn = (): void => undefined;
    const calls = Array.from({ length: 4 }, () => ({ name: 'cubeMeta', input: {} }));
    const stalls = new Promise<void>((resolve) => (goOn = resolve));
    chat.model.script({ calls }, { says: 'Too late.', stalls });
    const reader = await chat.open({ input: 'a' });
    const { value } = (await reader.next()) as { value: { state: { chatId: string } } };
    const { chatId } = value.state;
    await until(
      'the model to be asked',
      () => chat.model.requests.length,
      (count) => count === 2,
    );
    // As if the lease had run out because nobody prolonged it.
    const text = `update chat_thread set running_until = now() - interval '1 second' where id = $1`;
    await chat.platform.database.readAsSystem({ name: 'expire', text }, [chatId]);
    chat.model.script({ says: 'Seven.' });
    expect(answerIn(await chat.ask({ input: 'b', chatId }))).toBe('Seven.');
    // It was not gone after all, and says the rest.
    goOn();
    for (let step = await reader.next(); !step.done; step = await reader.next()) expect(step.value).toBeDefined();
    const { messages } = await chat.platform.call(chat.admin(), 'getChatThread', { path: { chatId } });
    const said = messages.map(({ content }) => content).filter((content) => content !== '');
    expect(said).toEqual(['a', expect.stringMatching(/broken off/), 'b', 'Seven.']);
  });

  it('keep what a model writes, be it no text', async () => {
    chat.model.script({ says: 'a\u0000b \ud800c' });
    const lines = await chat.ask({ input: 'x' });
    const { messages } = await chat.platform.call(chat.admin(), 'getChatThread', { path: { chatId: chatIdIn(lines) } });
    expect(messages.at(-1)?.content).toBe('ab \ufffdc');
  });
});
