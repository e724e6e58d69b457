import { complete, newText } from './messages';
import { TurnRecord } from './turn-record';

describe(TurnRecord.name, () => {
  it('gives a slow reader what grew meanwhile in one piece, and nothing twice', async () => {
    const record = new TurnRecord();
    const message = record.add(newText(1));
    const slow = record.read();
    for (const word of ['one ', 'two ', 'three']) {
      message.line.content += word;
      record.changed();
    }
    expect((await slow.next()).value).toMatchObject({ content: 'one two three', isDelta: true });
    message.line.content += ' four';
    record.changed();
    expect((await slow.next()).value).toMatchObject({ content: ' four', isDelta: true });
    complete(message);
    record.end();
    expect((await slow.next()).value).toMatchObject({ content: 'one two three four', isDelta: false });
    expect((await slow.next()).done).toBe(true);
  });

  it('gives who comes late everything from the beginning', async () => {
    const record = new TurnRecord();
    const first = record.add(newText(1));
    first.line.content = 'Let me look.';
    complete(first);
    record.end();
    const contents: string[] = [];
    for await (const { content } of record.read()) contents.push(content);
    expect(contents).toEqual(['Let me look.']);
  });

  it('tells a slow reader of what is complete in the order in which it was', async () => {
    const record = new TurnRecord();
    const [first, reader] = [record.add(newText(1)), record.read()];
    first.line.content = 'Let me';
    expect((await reader.next()).value).toMatchObject({ sort: 1, isDelta: true });
    complete(first);
    complete(record.add(newText(2)));
    record.end();
    expect((await reader.next()).value).toMatchObject({ sort: 1, isDelta: false });
    expect((await reader.next()).value).toMatchObject({ sort: 2, isDelta: false });
  });

  it('keeps what is complete as far as nothing before it is still open', () => {
    const record = new TurnRecord();
    const messages = [1, 2, 3].map((sort) => record.add(newText(sort)));
    for (const at of [0, 2]) complete(messages[at]!);
    expect(record.completeAfter(0).map(({ sort }) => sort)).toEqual([1]);
    complete(messages[1]!);
    expect(record.completeAfter(1).map(({ sort }) => sort)).toEqual([2, 3]);
  });
});
