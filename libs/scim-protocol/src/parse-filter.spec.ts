import { AppError } from '@plinth/errors';
import { boundMs } from '@plinth/testing';
import type { Filter } from './filter';
import { parseFilter } from './parse-filter';
import { ENTERPRISE, USER } from './schemas';

const at = (name: string, sub?: string, schema = USER) => ({ schema, name, ...(sub && { sub }) });
const eq = (name: string, value: string | boolean, sub?: string, schema?: string): Filter => ({
  kind: 'compare',
  path: at(name, sub, schema),
  operator: 'eq',
  value,
});
const parse = (text: string): Filter => parseFilter('User', text);
const refusal = (text: string): AppError => {
  try {
    parse(text);
  } catch (error) {
    return error as AppError;
  }
  throw new Error(`${text.slice(0, 100)} was accepted`);
};

describe('filters that are refused', () => {
  it.each([
    ['', 'lacks the name of an attribute'],
    [' \t', 'lacks the name of an attribute'],
    ['"userName" eq "a"', 'lacks the name of an attribute'],
    ['and eq "a"', 'lacks the name of an attribute'],
    ['not active eq true', 'lacks "("'],
    ['userName', 'lacks an operator'],
    ['userName eq', 'lacks a value'],
    ['userName eq and', 'lacks a value'],
    ['userName eq "a" and', 'lacks the name of an attribute'],
    ['userName eq "a" or or title pr', 'lacks the name of an attribute'],
    ['userName eq "a" title pr', 'goes on after its end'],
    ['(userName eq "a"', 'lacks ")"'],
    ['userName eq "a")', 'goes on after its end'],
    ['emails[type eq "work"', 'lacks "]"'],
    ['emails[type eq "work"]]', 'goes on after its end'],
    ['emails[]', 'lacks the name of an attribute'],
    ['userName eq "a', 'quotation mark without its counterpart'],
    ['userName eq "\\x"', 'not a JSON string'],
    ['userName eq "\u0001"', 'not a JSON string'],
    ['userName eq "a\\u0000"', 'null character'],
    ['userName eq "\\ud800"', 'half a character'],
    ['userName regex "a"', 'unknown operator regex'],
    ['shoeSize eq "1"', 'names shoeSize'],
    ['__proto__ eq "1"', 'names __proto__'],
    ['password eq "x"', 'names password'],
    ['name.first.last eq "x"', 'names name.first.last'],
    ['emails[size eq "1"]', 'names size'],
    ['emails[type eq "work"].size eq "1"', 'names size'],
    ['userName[type eq "work"]', 'selects among values that there is one of'],
    ['schemas[value eq "x"]', 'names value'],
    ['schemas.value eq "x"', 'names schemas.value'],
    [`${ENTERPRISE}:schemas eq "x"`, 'names urn:'],
    ['name eq "x"', 'compares name, which has parts'],
    ['addresses eq "x"', 'compares addresses, which has parts'],
    ['active gt true', 'cannot use gt on a boolean'],
    ['active eq maybe', 'compares a boolean with maybe'],
    ['userName gt null', 'compares null'],
    ['meta.created gt "yesterday"', 'compares a time with yesterday'],
  ])('%j: it %s', (text, message) => {
    const error = refusal(text);
    expect([error.code, error.status]).toEqual(['scim.invalid_filter', 400]);
    expect(error.message).toContain(message);
  });

  it.each([
    ['10,000 parentheses', '('.repeat(10_000), 'at most 4096 characters'],
    ['4,000 parentheses', '('.repeat(4_000), 'nested too deeply'],
    ['33 negations', `${'not ('.repeat(33)}active eq true${')'.repeat(33)}`, 'nested too deeply'],
    ['101 conditions', Array(101).fill('active pr').join(' or '), 'more than 100 conditions'],
    ['4,097 characters', `userName eq "${'x'.repeat(4_083)}"`, 'at most 4096 characters'],
  ])('%s, without delay', (_what, text, message) => {
    const begun = performance.now();
    expect(refusal(text).message).toContain(message);
    expect(performance.now() - begun).toBeLessThan(boundMs(1_000));
  });

  it.each([
    ['32 parentheses', `${'('.repeat(32)}active eq true${')'.repeat(32)}`],
    ['100 conditions', Array(100).fill('active pr').join(' or ')],
    ['4,096 characters', `userName eq "${'x'.repeat(4_082)}"`],
  ])('but not %s', (_what, text) => {
    expect(() => parse(text)).not.toThrow();
  });
});

describe('filters', () => {
  const [a, b, c] = [eq('title', 'a'), eq('title', 'b'), eq('title', 'c')];

  it.each<[string, Filter]>([
    ['title eq "a" or title eq "b" and title eq "c"', { kind: 'or', operands: [a, { kind: 'and', operands: [b, c] }] }],
    [
      '(title eq "a" or title eq "b") and title eq "c"',
      { kind: 'and', operands: [{ kind: 'or', operands: [a, b] }, c] },
    ],
    ['not (title eq "a") and title eq "b"', { kind: 'and', operands: [{ kind: 'not', operand: a }, b] }],
    ['not (title eq "a" or title eq "b")', { kind: 'not', operand: { kind: 'or', operands: [a, b] } }],
    ['title eq "a" and title eq "b" and title eq "c"', { kind: 'and', operands: [a, b, c] }],
    ['((title eq "a"))', a],
    ['TITLE EQ "a" AND NOT(Title Eq "b")', { kind: 'and', operands: [a, { kind: 'not', operand: b }] }],
  ])('%s: or binds looser than and, and looser than not', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each<[string, Filter]>([
    ['userName eq "a@X.com"', eq('userName', 'a@X.com')],
    ['title eq "\\u0041 \\"and\\" \\\\ (or) [not]"', eq('title', 'A "and" \\ (or) [not]')],
    ['title eq ""', eq('title', '')],
    ['title eq Bob', eq('title', 'Bob')],
    ['title eq 12', eq('title', '12')],
    ['active eq "True"', eq('active', true)],
    ['active eq false', eq('active', false)],
    ['emails eq "x"', eq('emails', 'x', 'value')],
    ['manager eq "7"', eq('manager', '7', 'value', ENTERPRISE)],
    [`${ENTERPRISE.toUpperCase()}:MANAGER.value eq "7"`, eq('manager', '7', 'value', ENTERPRISE)],
    [`${USER}:name.givenName eq "x"`, eq('name', 'x', 'givenName')],
    ['title eq null', { kind: 'not', operand: { kind: 'present', path: at('title') } }],
    ['title ne null', { kind: 'present', path: at('title') }],
    ['emails pr', { kind: 'present', path: at('emails') }],
    ['meta.created eq "2026-01-01T01:30:00+01:30"', eq('meta', '2026-01-01T00:00:00.000Z', 'created')],
  ])('%s: names, literals and values in canonical form', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it('keeps conditions in brackets on one value, whichever side of the bracket they stand', () => {
    const operands = [eq('emails', 'work', 'type'), eq('emails', 'x', 'value')];
    const expected = { kind: 'element', path: at('emails'), filter: { kind: 'and', operands } };
    expect(parse('emails[type eq "work" and value eq "x"]')).toEqual(expected);
    expect(parse('emails[type eq "work"].value eq "x"')).toEqual(expected);
  });

  it('means the resource again behind the bracket', () => {
    expect(parse('emails[type pr] and title eq "a"')).toMatchObject({ operands: [{ kind: 'element' }, a] });
  });
});

/** A reproducible source of numbers from 0 on, below the limit. */
const dice = (seed: number) => (limit: number) => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % limit;
};

type Roll = ReturnType<typeof dice>;

const pick = <Item>(roll: Roll, items: readonly Item[]): Item => items[roll(items.length)] as Item;
const texts = ['', 'a', 'Ünïcode 😀', '"quoted" \\ back', '(a or b) and [c]', 'not', '%_', '\t\n', "' or 1=1"];
const parts = ['value', 'type', 'display'];

function randomCondition(roll: Roll, list?: string): Filter {
  const path = list
    ? at(list, pick(roll, parts))
    : pick(roll, [at('userName'), at('name', 'givenName'), at('department', undefined, ENTERPRISE)]);
  if (roll(5) === 0) return { kind: 'present', path };
  return {
    kind: 'compare',
    path,
    operator: pick(roll, ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']),
    value: pick(roll, texts),
  };
}

function randomFilter(roll: Roll, depth: number, list?: string): Filter {
  const kind = depth === 0 ? 4 : roll(6);
  const inner = (): Filter => randomFilter(roll, depth - 1, list);
  if (kind < 2) return { kind: kind === 0 ? 'and' : 'or', operands: Array.from({ length: 2 + roll(2) }, inner) };
  if (kind === 2) return { kind: 'not', operand: inner() };
  if (kind === 3 && !list) return { kind: 'element', path: at('emails'), filter: randomFilter(roll, 1, 'emails') };
  return randomCondition(roll, list);
}

function printed(filter: Filter, isInner = false): string {
  const name = (path: { schema: string; name: string; sub?: string }): string =>
    isInner ? (path.sub ?? '') : `${path.schema}:${path.name}${path.sub ? `.${path.sub}` : ''}`;
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.operands.map((each) => `(${printed(each, isInner)})`).join(` ${filter.kind} `);
    case 'not':
      return `not (${printed(filter.operand, isInner)})`;
    case 'present':
      return `${name(filter.path)} pr`;
    case 'compare':
      return `${name(filter.path)} ${filter.operator} ${JSON.stringify(filter.value)}`;
    case 'element':
      return `${name(filter.path)}[${printed(filter.filter, true)}]`;
  }
}

it('reads 1,000 random filters back as they were printed', () => {
  const roll = dice(7);
  for (let round = 0; round < 1_000; round += 1) {
    const filter = randomFilter(roll, 2);
    expect(parse(printed(filter))).toEqual(filter);
  }
});

it('answers 2,000 damaged filters with a filter or its own error, and nothing else', () => {
  const roll = dice(11);
  for (let round = 0; round < 2_000; round += 1) {
    const text = printed(randomFilter(roll, 2));
    const cut = roll(text.length);
    const damaged =
      text.slice(0, cut) + pick(roll, ['', '"', '(', ')', '[', ']', '\\', ' not ', '.x']) + text.slice(cut + roll(3));
    try {
      parse(damaged);
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code: 'scim.invalid_filter' });
    }
  }
});
