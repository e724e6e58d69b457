import { setEnvironment } from './environment';

const LIMITS = {
  defaultRows: 10,
  maxRows: 20,
  queryMs: 30_000,
  concurrency: 4,
  cacheBytes: 1,
  modelMemoryBytes: 1,
  modelCallMs: 1,
};
const [DEFAULT, MOST, SECONDS, AT_ONCE] = [
  'CUBEJS_DB_QUERY_DEFAULT_LIMIT',
  'CUBEJS_DB_QUERY_LIMIT',
  'CUBEJS_DB_QUERY_TIMEOUT',
  'CUBEJS_CONCURRENCY',
] as const;
const NAMES = [DEFAULT, MOST, SECONDS, AT_ONCE];

describe('limits of an engine', () => {
  const before = { ...process.env };
  afterEach(() => (process.env = { ...before }));

  it.each([
    ['what a deployment sets that is more', '1000', ['10', '20', '30', '4']],
    ['what a deployment sets that is no number', 'all', ['10', '20', '30', '4']],
    ['what a deployment sets that is less than nothing', '-1', ['10', '20', '30', '4']],
    ['nothing', undefined, ['10', '20', '30', '4']],
  ])('are those of the platform against %s', (_, value, expected) => {
    setEnvironment(value === undefined ? {} : Object.fromEntries(NAMES.map((name) => [name, value])), LIMITS);
    expect(NAMES.map((name) => process.env[name])).toEqual(expected);
  });

  it('may be lowered by a deployment', () => {
    setEnvironment({ [DEFAULT]: '5', [MOST]: '6', [SECONDS]: '7', [AT_ONCE]: '2' }, LIMITS);
    expect(NAMES.map((name) => process.env[name])).toEqual(['5', '6', '7', '2']);
  });
});
