import { AppError } from '@plinth/errors';
import type { ByteStream } from './bus';
import { decodeFrame, type Frame } from './stream-frames';
import { StreamExchange } from './stream-exchange';

const IDLE_MS = 3_000;
const settings = { window: 4, chunkBytes: 2, idleMs: IDLE_MS };

type Filter = (frame: Frame) => boolean;

/** Two exchanges that reach each other; the filter decides which frames arrive. */
function pair(): {
  producer: StreamExchange;
  consumer: StreamExchange;
  deliver: (filter: Filter) => void;
  chunksSent: () => number;
} {
  let filter: Filter = () => true;
  let chunks = 0;
  const publish = (subject: string, bytes: Uint8Array, replyTo?: string): void => {
    const frame = decodeFrame(bytes);
    if (frame?.kind === 'chunk') chunks++;
    if (!frame || !filter(frame)) return;
    queueMicrotask(() => (subject.startsWith('p') ? producer : consumer).receive(subject, bytes, replyTo));
  };
  const producer = new StreamExchange('p', publish, settings);
  const consumer = new StreamExchange('c', publish, settings);
  return { producer, consumer, deliver: (next) => (filter = next), chunksSent: () => chunks };
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const silence = (): { stream: ByteStream; speak: (text: string) => void; stopped: () => boolean } => {
  let speak: (text: string) => void = () => {};
  let stopped = false;
  const said = new Promise<Uint8Array>((resolve) => (speak = (text) => resolve(Buffer.from(text))));
  const iterator: AsyncIterator<Uint8Array> = {
    next: async () => ({ done: false, value: await said }),
    return: async () => {
      stopped = true;
      return { done: true, value: undefined };
    },
  };
  return { stream: { [Symbol.asyncIterator]: () => iterator }, speak, stopped: () => stopped };
};

async function textOf(stream: ByteStream): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe(StreamExchange.name, () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] }));
  afterEach(() => jest.useRealTimers());

  it('fails the stream when a chunk was lost', async () => {
    const { producer, consumer, deliver } = pair();
    deliver(({ kind, number }) => !(kind === 'chunk' && number === 1));
    const { address } = producer.offer(bytes('abcdef'));
    await expect(textOf(consumer.accept(address))).rejects.toMatchObject({ code: 'service.unavailable' });
  });

  it('fails the stream when its producer falls silent', async () => {
    const { producer, consumer, deliver } = pair();
    const { address } = producer.offer(silence().stream);
    const reading = consumer.accept(address)[Symbol.asyncIterator]().next();
    const failure = expect(reading).rejects.toMatchObject({ code: 'service.unavailable' });
    deliver(({ kind }) => kind !== 'ping');
    await jest.advanceTimersByTimeAsync(3 * IDLE_MS);
    await failure;
  });

  it('stops the source when its consumer falls silent', async () => {
    const { producer, consumer, deliver } = pair();
    const source = silence();
    const { address, done } = producer.offer(source.stream);
    void consumer
      .accept(address)
      [Symbol.asyncIterator]()
      .next()
      .catch(() => undefined);
    deliver(({ kind }) => kind !== 'grant');
    await jest.advanceTimersByTimeAsync(3 * IDLE_MS);
    await done;
    expect(source.stopped()).toBe(true);
  });

  it('stops the source of an offer that nobody accepts', async () => {
    const source = silence();
    const { done } = pair().producer.offer(source.stream);
    await jest.advanceTimersByTimeAsync(3 * IDLE_MS);
    await done;
    expect(source.stopped()).toBe(true);
  });

  it('keeps a stream whose producer has nothing to say for long', async () => {
    const { producer, consumer } = pair();
    const source = silence();
    const { address } = producer.offer(source.stream);
    const reading = consumer.accept(address)[Symbol.asyncIterator]().next();
    await jest.advanceTimersByTimeAsync(10 * IDLE_MS);
    source.speak('hi');
    await expect(reading).resolves.toMatchObject({ done: false });
  });

  it('keeps a stream whose consumer reads nothing for long, and sends no more than the window', async () => {
    const { producer, consumer, chunksSent } = pair();
    const { address } = producer.offer(bytes('0123456789abcdef'));
    const stream = consumer.accept(address);
    const first = await stream[Symbol.asyncIterator]().next();
    await jest.advanceTimersByTimeAsync(10 * IDLE_MS);
    expect(chunksSent()).toBeLessThanOrEqual(settings.window + 1);
    expect(Buffer.from(first.value as Uint8Array).toString() + (await textOf(stream))).toBe('0123456789abcdef');
  });

  it('shows the consumer why an offer was withdrawn', async () => {
    const { producer, consumer } = pair();
    const { address, withdraw } = producer.offer(silence().stream);
    const reading = consumer.accept(address)[Symbol.asyncIterator]().next();
    await jest.advanceTimersByTimeAsync(0);
    withdraw(new AppError('request.too_large', 'Too large'));
    await expect(reading).rejects.toMatchObject({ code: 'request.too_large' });
  });

  it('ignores frames for streams that it does not know', () => {
    const { producer } = pair();
    expect(() => producer.receive('p.99', Buffer.from([1, 0, 0, 0, 0]), 'c.1')).not.toThrow();
    expect(() => producer.receive('p.99', Buffer.from('x'), undefined)).not.toThrow();
  });
});
