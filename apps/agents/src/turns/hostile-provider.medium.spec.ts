import 'reflect-metadata';
import { until, type ScriptedReply } from '@plinth/testing';
import { answerIn, chatIdIn, resultsIn, startChat, type ChatFixture, type ChatLine } from '../testing/chat-fixture';
import { sqlAnswer } from '../testing/surroundings';

const sql = (sqlQuery: string, more: object = {}) => ({ name: 'cubeSqlApi', input: { sqlQuery, ...more } });
const event = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const alternating = event({ reasoning_content: 'a' }) + event({ content: 'b' });
const stop = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const noText = Buffer.from(event({ content: '?' }) + stop).map((byte) => (byte === 0x3f ? 0xff : byte));

describe('a provider that means harm', () => {
  let chat: ChatFixture;

  beforeAll(async () => {
    chat = await startChat();
  });
  afterAll(() => chat?.stop());
  beforeEach(async () => {
    await chat.renew();
    chat.platform.surroundings.engine = () => sqlAnswer(['count'], [['7']]);
  });

  const usage = async (): Promise<{ inputTokens: number; outputTokens: number }[]> =>
    (await chat.platform.call(chat.admin(), 'listAiUsage')).items;

  it.each<[string, ScriptedReply, RegExp]>([
    [
      'calls thousands of tools at once',
      { calls: Array.from({ length: 2_500 }, (_, n) => sql(`select ${n}`)) },
      /too long/,
    ],
    ['thinks and says by turns without end', { bytes: alternating.repeat(60_000) }, /too long/],
    ['sends a line without end', { bytes: `data: ${'x'.repeat(9 << 20)}` }, /too large/],
    ['says more than an answer may have', { says: 'word '.repeat(25_000), stalls: true }, /too long/],
  ])('and %s is given up with a sentence, its call ends, and the thread goes on', async (_what, reply, sentence) => {
    const before = chat.model.abandoned();
    chat.model.script(reply);
    const lines = await chat.ask({ input: 'How many?' });
    expect(answerIn(lines)).toMatch(sentence);
    expect(new Set(lines.map(({ sort }) => sort)).size).toBeLessThan(210);
    if ('stalls' in reply) {
      await until(
        'the call to end',
        () => chat.model.abandoned(),
        (count) => count === before + 1,
        10_000,
      );
      expect((await usage())[0]?.outputTokens).toBeGreaterThan(25_000);
    }
    chat.model.script({ says: 'Seven.' });
    expect(answerIn(await chat.ask({ input: 'And now?', chatId: chatIdIn(lines) }))).toBe('Seven.');
  });

  it('and sends bytes that are no text is read as far as it goes', async () => {
    chat.model.script({ bytes: noText });
    expect(answerIn(await chat.ask({ input: 'How many?' }))).toBe('\ufffd');
  });

  it('and calls tools with arguments of every kind gets what is wrong, or an answer that is not larger for it', async () => {
    const inputs: (object | string)[] = ['null', '7', '[]', '"x"', '{"sqlQuery":7}', `${'['.repeat(50_000)}`];
    const long = 'x'.repeat(100_000);
    chat.platform.surroundings.engine = ({ route }) => (route === 'meta' ? '{"cubes":[]}' : sqlAnswer(['a'], [[long]]));
    chat.model.script(
      { calls: inputs.flatMap((input) => ['cubeSqlApi', 'cubeMeta'].map((name) => ({ name, input }))) },
      {
        calls: [
          sql('select 1', { queryTitle: long, description: 7, userRequest: null }),
          { name: 'cubeMeta', input: { searchQuery: long } },
        ],
      },
      { says: 'Seven.' },
    );
    const lines = await chat.ask({ input: 'How many?' });
    expect(answerIn(lines)).toBe('Seven.');
    expect(Math.max(...resultsIn(lines).map((result) => JSON.stringify(result).length))).toBeLessThan(10_000);
  });

  it('holds 32 queries of a turn at most, whatever it calls', async () => {
    chat.model.script({ calls: Array.from({ length: 50 }, (_, n) => sql(`select ${n}`)) }, { says: 'Seven.' });
    expect(answerIn(await chat.ask({ input: 'How many?' }))).toBe('Seven.');
    expect(chat.platform.surroundings.asked).toHaveLength(32);
  });

  it('costs what it was sent and has said where its answer is broken off, by whomever', async () => {
    const question = 'How many orders were there? '.repeat(400);
    chat.model.script({ says: 'word '.repeat(400), stalls: true });
    const reader = await chat.open({ input: question });
    const chatId = ((await reader.next()).value as ChatLine).state?.chatId;
    let said = '';
    while (said.length < 1_900) said += ((await reader.next()).value as ChatLine).content;
    const body = { chatId, sessionSettings: { internalId: chat.admin().email } };
    await chat.platform.call(chat.admin(), 'abortChat', { path: chat.path(), body });
    const [used] = await until('the turn to be counted', usage, ({ length }) => length === 1);
    expect(used?.inputTokens).toBeGreaterThan(question.length / 4);
    expect(used?.outputTokens).toBeGreaterThan(470);

    chat.model.script({ status: 500 });
    await chat.ask({ input: question });
    expect(await usage()).toEqual([{ ...used, turns: 2 }]);
  });
});
