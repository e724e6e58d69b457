import { PassThrough } from 'node:stream';
import { type LineEnd, readLines } from './read-lines';

/** What is heard of a stream that comes in these chunks. */
async function linesOf(chunks: readonly (string | Buffer)[], limitBytes = 1_000): Promise<[string, LineEnd][]> {
  const heard: [string, LineEnd][] = [];
  const stream = new PassThrough();
  readLines(stream, limitBytes, (line, end) => heard.push([line, end]));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.once('end', resolve));
  return heard;
}

describe(readLines.name, () => {
  it('hands over the beginning of a line that is too long, and goes on after its end', async () => {
    expect(await linesOf(['abc', 'def', 'ghi\nj', 'kl\n'], 5)).toEqual([
      ['abcde', 'limit'],
      ['jkl', 'line feed'],
    ]);
  });

  it('tells of such a line when it is too long, and does not wait for its end', () => {
    const heard: string[] = [];
    const stream = new PassThrough();
    readLines(stream, 5, (line) => heard.push(line));
    stream.emit('data', Buffer.from('abcdef'));
    expect(heard).toEqual(['abcde']);
  });

  it('cuts no character in two', async () => {
    expect(await linesOf(['aäää\n'], 4)).toEqual([['aä', 'limit']]);
  });

  it('takes a line of just the limit', async () => {
    expect(await linesOf(['abcde\nabcde'], 5)).toEqual([
      ['abcde', 'line feed'],
      ['abcde', 'stream'],
    ]);
  });

  it('tells lines from the rest of a stream that ends within one', async () => {
    expect(await linesOf(['a\n\nb', 'c'])).toEqual([
      ['a', 'line feed'],
      ['', 'line feed'],
      ['bc', 'stream'],
    ]);
  });

  it('puts characters together that come in parts', async () => {
    const bytes = Buffer.from('"ä€😀"\n');
    expect(await linesOf([...bytes].map((byte) => Buffer.from([byte])))).toEqual([['"ä€😀"', 'line feed']]);
  });

  it('looks at each byte of a long line once', () => {
    const chunk = Buffer.alloc(1_024, 'x');
    let searched = 0;
    const chunks = Array.from({ length: 2_048 }, () => {
      const part = chunk.subarray();
      const indexOf = part.indexOf.bind(part);
      part.indexOf = (value, from) => {
        searched += part.length;
        return indexOf(value as number, from as number);
      };
      return part;
    });
    const stream = new PassThrough();
    const heard = jest.fn();
    const concatenated = jest.spyOn(Buffer, 'concat');
    readLines(stream, 4 << 20, heard);
    for (const each of chunks) stream.emit('data', each);
    stream.emit('data', Buffer.from('\n'));
    expect(heard).toHaveBeenCalledTimes(1);
    expect(searched).toBe(2 << 20);
    expect(concatenated).toHaveBeenCalledTimes(1);
    concatenated.mockRestore();
  });
});
