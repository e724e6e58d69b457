import { setImmediate as turn } from 'node:timers/promises';
import type { ByteStream } from './bus';
import { beginningOf } from './stream-beginning';

const MOST = 10;

async function* of(...parts: (string | Error | Promise<unknown>)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    if (typeof part === 'string') yield Buffer.from(part);
    else await part;
  }
}

const never = new Promise<never>(() => undefined);

async function restOf(stream: ByteStream): Promise<ByteStream> {
  const beginning = await beginningOf(stream, MOST);
  if ('whole' in beginning) throw new Error('It was there as a whole');
  return beginning.rest;
}

async function read(stream: ByteStream): Promise<string> {
  let text = '';
  for await (const bytes of stream) text += Buffer.from(bytes).toString();
  return text;
}

describe(beginningOf.name, () => {
  it('leaves failures to the reader, after what came before', async () => {
    const rest = (await restOf(of('abc', new Error('gone'))))[Symbol.asyncIterator]();
    expect(Buffer.from((await rest.next()).value as Uint8Array).toString()).toBe('abc');
    await expect(rest.next()).rejects.toThrow('gone');
    await expect(read(await restOf(of(new Error('at once'))))).rejects.toThrow('at once');
  });

  it('leaves a failure that comes before its reader to that reader alone', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const rest = await restOf(
      of(
        turn(undefined).then(() => turn(undefined)),
        new Error('later'),
      ),
    );
    for (let turns = 0; turns < 5; turns += 1) await turn(undefined);
    process.off('unhandledRejection', unhandled);
    await expect(read(rest)).rejects.toThrow('later');
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('keeps what it has read of a source that uses its buffer again', async () => {
    const buffer = Buffer.alloc(3);
    const reused = (async function* () {
      for (const text of ['abc', 'def', 'ghi', 'jkl', 'mno']) yield buffer.fill(text);
    })();
    expect(await read(await restOf(reused))).toBe('abcdefghijklmno');
  });

  it('waits for nothing', async () => {
    const slow = (): Promise<unknown> => turn(undefined).then(() => turn(undefined));
    expect(await read(await restOf(of(slow(), 'abc')))).toBe('abc');
    expect(await read(await restOf(of('abc', slow(), 'def', 'ghi')))).toBe('abcdefghi');
    await restOf(of('abc', never));
  });

  it('reads no further than it may', async () => {
    let read = 0;
    const endless = (async function* () {
      for (;;) yield Buffer.from(`part ${(read += 1)}`);
    })();
    const rest = (await restOf(endless))[Symbol.asyncIterator]();
    expect(read).toBe(2);
    await rest.next();
    expect(read).toBe(2);
    await rest.return?.();
    expect(await endless.next()).toMatchObject({ done: true });
  });

  it('gives a short stream that is there as a whole, also an empty one', async () => {
    expect(await beginningOf(of('abc', 'def'), MOST)).toEqual({ whole: Buffer.from('abcdef') });
    expect(await beginningOf(of(), MOST)).toEqual({ whole: Buffer.alloc(0) });
  });
});
