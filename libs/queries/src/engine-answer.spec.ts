import { Readable } from 'node:stream';
import { jsonOf, problemIn, readAnswer } from './engine-answer';

const MIB = Buffer.alloc(1 << 20, ' ');
const stream = (parts: Iterable<Buffer>) => ({ headers: { status: '200' }, stream: Readable.from(parts) });

describe('an answer of an engine', () => {
  it('that is larger than is kept in memory is refused, and its rest not read', async () => {
    let sent = 0;
    const endless = (function* () {
      for (;;) {
        sent += 1;
        yield MIB;
      }
    })();
    await expect(readAnswer(stream(endless))).rejects.toMatchObject({ code: 'report.result_too_large', status: 400 });
    expect(sent).toBeLessThan(100);
    await expect(readAnswer(stream([MIB, MIB]), 1 << 20)).rejects.toMatchObject({ code: 'report.result_too_large' });
  });

  it('that was cut off is no result', () => {
    expect(() => jsonOf('{"results":[{"da')).toThrow(expect.objectContaining({ code: 'engine.unavailable' }));
  });

  it('has its error wherever the engine says it, and none in rows that speak of errors', () => {
    expect(problemIn({ status: 400, text: '{"error":"no such measure"}' })).toBe('no such measure');
    expect(problemIn({ status: 200, text: '{"schema":[]}\n{"error":"it broke"}\n' })).toBe('it broke');
    expect(problemIn({ status: 502, text: '' })).toBe('The engine answered 502');
    expect(problemIn({ status: 200, text: '{"data":[{"a":"\\"error\\""}]}' })).toBeUndefined();
  });
});
