import 'reflect-metadata';
import type { Schemas } from '@plinth/contract';
import type { ScriptedReply } from '@plinth/testing';
import { answerIn, chatIdIn, resultsIn, startChat, type ChatFixture } from '../testing/chat-fixture';
import { sqlAnswer } from '../testing/surroundings';

/** How a model is told that it may call no tool any more; one of Anthropic has none then. */
const lastRequest = { 'openai-compatible': { tool_choice: 'none' }, anthropic: {} } as const;

const sql = (sqlQuery: string) => ({ name: 'cubeSqlApi', input: { sqlQuery } });

describe.each<Schemas['AiProviderKind']>(['openai-compatible', 'anthropic'])('a provider that is %s', (kind) => {
  let chat: ChatFixture;

  beforeAll(async () => {
    chat = await startChat('in-process', { PLINTH_AI_PROVIDER_TIMEOUT_MS: '700' });
  });
  afterAll(() => chat?.stop());
  beforeEach(async () => {
    await chat.renew();
    const body = { kind, baseUrl: chat.model.baseUrl, model: 'large-1', key: 'sk-secret' };
    await chat.platform.call(chat.admin(), 'setAiProvider', { body });
    chat.platform.surroundings.engine = () => sqlAnswer(['count'], [['7']]);
  });

  it.each<[string, ScriptedReply, RegExp]>([
    ['refuses the key', { status: 401 }, /refuses the key/],
    ['has too much to do', { status: 429 }, /too much to do/],
    ['fails', { status: 500 }, /failed \(500\)/],
    ['is overloaded', { status: 529 }, /failed \(529\)/],
    ['is silent before it says anything', { says: '', stalls: true }, /did not answer in time/],
    ['says nothing', { says: ' ' }, /has not come to an answer/],
    ['falls silent', { says: 'Let me ', stalls: true }, /did not answer in time/],
    ['is cut off', { says: 'Let me ', isCut: true }, /broke off|could not be/],
    ['answers a page', { bytes: '<html>' }, /could not be understood|has not come to an answer/],
    ['answers half an event', { bytes: 'data: {"choices": [' }, /could not be understood|has not come to an answer/],
  ])('and %s: a plain sentence, and the thread goes on', async (_what, reply, sentence) => {
    chat.model.script(reply);
    const lines = await chat.ask({ input: 'How many?' });
    expect(answerIn(lines)).toMatch(sentence);
    expect(lines.at(-1)).toMatchObject({ id: '__state__', state: { isStreaming: false } });
    chat.model.script({ says: 'Seven.' });
    expect(answerIn(await chat.ask({ input: 'And now?', chatId: chatIdIn(lines) }))).toBe('Seven.');
  });

  it('calls tools, several at once, broken and unknown ones among them, and comes to its answer', async () => {
    chat.model.script(
      { thinks: 'Which?', says: 'Let me look.', calls: [sql('select 1'), { name: 'dropTables', input: {} }] },
      { calls: [{ name: 'cubeSqlApi', input: '{"sqlQuery": "sel' }, sql('select 2')] },
      { says: 'There are 7.' },
    );
    const lines = await chat.ask({ input: 'How many?' });
    const error = { error: expect.any(String) };
    const rows = { data: [['7']], totalRows: 1 };
    const results = resultsIn(lines);
    expect(results.slice(0, 2)).toEqual(expect.arrayContaining([expect.objectContaining(rows), error]));
    expect(results.slice(2)).toEqual(expect.arrayContaining([expect.objectContaining(rows), error]));
    expect(answerIn(lines)).toBe('There are 7.');
    expect(lines.find(({ thinking }) => thinking)).toMatchObject({ thinking: 'Which?' });
    const { items } = await chat.platform.call(chat.admin(), 'listAiUsage');
    expect(items).toMatchObject([{ turns: 1, inputTokens: 30, outputTokens: 15 }]);
    expect(chat.model.requests[0]?.authorization).toMatch(/sk-secret$/);
  });

  it('ends after eight steps when the model calls tools without end', async () => {
    chat.model.script({ calls: [sql('select 1')] });
    const lines = await chat.ask({ input: 'How many?' });
    expect(chat.model.requests).toHaveLength(8);
    expect(chat.model.requests.at(-1)?.body).toMatchObject(lastRequest[kind]);
    expect(answerIn(lines)).toMatch(/has not come to an answer within 8 steps/);
  });

  it('is tried by an administrator', async () => {
    chat.model.script({ says: 'ok' });
    expect(await chat.platform.call(chat.admin(), 'testAiProvider')).toMatchObject({ ok: true });
  });
});
