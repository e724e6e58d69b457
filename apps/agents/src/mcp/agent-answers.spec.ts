import { systemPrincipal } from '@plinth/auth';
import type { Bus, ByteStream } from '@plinth/messaging';
import { AgentAnswers } from './agent-answers.service';

const CHAT = '0b7bd1b6-1f3c-4f0e-9d2a-8f5b7c1f6a11';
const base = { role: 'assistant', content: '', graphPath: [], isDelta: false, isInProcess: false, sort: 0 };
const stateLine = (id: string, isStreaming: boolean) => ({ ...base, id, state: { isStreaming, chatId: CHAT } });
const final = (content: string) => ({ ...base, id: 'a', graphPath: ['final'], sort: 1, content });
const bytesOf = (...lines: object[]): Buffer => Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

/** Agents whose streams are these, one after the other. */
function answersOf(...streams: ByteStream[]): AgentAnswers {
  const callForStream = async () => ({ headers: {}, stream: streams.shift() });
  return new AgentAnswers({ callForStream } as unknown as Bus);
}

async function* inParts(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Says so much and nothing more; it hears that nobody reads on when it says something next, which it never does. */
async function* silentAfter(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
  await new Promise<void>(() => undefined);
}

const ask = (answers: AgentAnswers, input?: string) =>
  answers.answer(systemPrincipal(1), 7, { input, chatId: input === undefined ? CHAT : undefined });

describe(AgentAnswers.name, () => {
  it('reads characters that come in two parts', async () => {
    const lines = bytesOf(stateLine('__cutoff__', true), final('Où ? 東京 🙂'), stateLine('__state__', false));
    for (const size of [1, 3, 7]) {
      expect(await ask(answersOf(inParts(lines, size)), 'Where?')).toMatchObject({ answer: 'Où ? 東京 🙂' });
    }
  });

  describe('with an agent that falls silent', () => {
    beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
    afterEach(() => jest.useRealTimers());

    it('gives up after 45 seconds, with the thread to wait for', async () => {
      const answer = ask(answersOf(silentAfter(bytesOf(stateLine('__cutoff__', true)))), 'How many?');
      await jest.advanceTimersByTimeAsync(45_000);
      expect(await answer).toEqual({ chatId: CHAT, isComplete: false, answer: null, queries: [] });
    });
  });

  it('waits no more for an answer that was ended', async () => {
    const lines = bytesOf(stateLine('__cutoff__', false), stateLine('__state__', false));
    expect(await ask(answersOf(inParts(lines, 99)))).toMatchObject({ isComplete: true, answer: null });
  });
});
