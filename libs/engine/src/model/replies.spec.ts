import { PassThrough } from 'node:stream';
import type { ModelMessage } from './messages';
import { readReplies } from './replies';

function heardFrom(...chunks: (string | Buffer)[]): (ModelMessage | undefined)[] {
  const heard: (ModelMessage | undefined)[] = [];
  const stream = new PassThrough();
  readReplies(stream, (message) => heard.push(message));
  for (const chunk of chunks) stream.emit('data', Buffer.from(chunk));
  return heard;
}

describe('what a model process says', () => {
  it.each([
    ['is no JSON', 'x\n'],
    ['is of no known kind', '{"kind":"other"}\n'],
    ['lacks what belongs to it', '{"kind":"error"}\n'],
    ['is too long for a message', `{"kind":"error","message":"${'x'.repeat(3_000)}"}\n`],
  ])('is the last that is heard, when it %s', (_, line) => {
    expect(heardFrom(line, '{"kind":"idle"}\n')).toEqual([undefined]);
  });

  it('is broken off when it never ends', () => {
    const part = Buffer.alloc(16 << 20, 'x');
    expect(heardFrom(part, part, part, part, part)).toEqual([undefined]);
  });

  it.each(['__proto__', '\\u005f_proto__'])('reaches into no prototype by %s', (name) => {
    const line = `{"kind":"value","value":{"${name}":{"polluted":1},"inner":{"${name}":1},"a":1}}\n`;
    const { value } = heardFrom(line)[0] as { value: { inner: object } };
    expect([Object.keys(value), Object.keys(value.inner)]).toEqual([['inner', 'a'], []]);
    expect('polluted' in value).toBe(false);
  });

  it('is read across chunks, and several in one', () => {
    expect(heardFrom('{"kind":"id', 'le"}\n{"kind":"value","value":1}\n')).toEqual([
      { kind: 'idle' },
      { kind: 'value', value: 1 },
    ]);
  });
});
