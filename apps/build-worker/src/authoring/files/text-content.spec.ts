import { textOf } from './text-content';

describe(textOf.name, () => {
  it.each([[[0xff, 0xfe]], [[0xc3]], [[0x61, 0x80]]])('has no text for the bytes %p', (bytes) => {
    expect(textOf(Buffer.from(bytes))).toBeUndefined();
  });

  it('gives back every character, byte order mark included', () => {
    expect(textOf(Buffer.from('\ufeffü\r\n'))).toBe('\ufeffü\r\n');
  });
});
