import { errorTextOf, toContractError } from './model-errors';

describe(errorTextOf.name, () => {
  it('has one error a line, each with its place as far as it is known', () => {
    expect(
      errorTextOf([
        { message: 'bad', fileName: 'model/a.yml', line: 3 },
        { message: 'worse', fileName: 'model/b.js' },
        { message: 'worst' },
      ]),
    ).toBe('model/a.yml:3: bad\nmodel/b.js: worse\nworst');
  });

  it('is cut off when it gets long, and says how many errors are missing', () => {
    const errors = Array.from({ length: 1000 }, (_, index) => ({ message: `${index}`.padStart(100, '.') }));
    const text = errorTextOf(errors);
    const shown = text.split('\n').length - 1;
    expect(text.length).toBeLessThan(8_300);
    expect(text.endsWith(`\n(${1000 - shown} more)`)).toBe(true);
  });

  it('shows the beginning of a single error that is too long', () => {
    const text = errorTextOf([{ message: 'x'.repeat(100_000) }]);
    expect(text).toBe(`${'x'.repeat(8_192)}…`);
  });
});

describe(toContractError.name, () => {
  it('puts the line into the message', () => {
    expect(toContractError({ message: 'bad', fileName: 'a.yml', line: 3 })).toEqual({
      message: 'Line 3: bad',
      fileName: 'a.yml',
    });
    expect(toContractError({ message: 'bad' })).toEqual({ message: 'bad', fileName: null });
  });
});
