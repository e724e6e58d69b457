import { AppError } from '@plinth/errors';
import { CUSTOM, USER, type Change } from '@plinth/scim-protocol';
import type { AttributeType } from '@plinth/user-attributes';
import { CustomFacts } from './custom-facts';

const attribute = (name: string, type: AttributeType, id = 1) => ({ id, name, type });
const stored = (type: AttributeType, value: unknown): unknown =>
  new CustomFacts([attribute('fact', type)]).resource({ [CUSTOM]: { fact: value as string } })[CUSTOM]?.['fact'];
const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('Nothing was refused');
};

describe('facts of a tenant', () => {
  it.each<[AttributeType, unknown, unknown]>([
    ['string', 'Sales', 'Sales'],
    ['string', 7, '7'],
    ['string', true, 'true'],
    ['string', ['only'], 'only'],
    ['number', 7, 7],
    ['number', '7', 7],
    ['number', ' -1.5 ', -1.5],
    ['boolean', true, true],
    ['boolean', 'True', true],
    ['boolean', 'False', false],
    ['string_array', ['a', 'b'], ['a', 'b']],
    ['string_array', '["a, b","c"]', ['a, b', 'c']],
    ['string_array', 'EMEA, APAC,', ['EMEA', 'APAC']],
    ['string_array', ['a', 7], ['a', '7']],
    ['string_array', 7, ['7']],
    ['number_array', '1, 2', [1, 2]],
    ['number_array', '[1,2]', [1, 2]],
    ['number_array', ['1', 2], [1, 2]],
  ])('of the type %s take %j for %j', (type, value, expected) => {
    expect(stored(type, value)).toEqual(expected);
  });

  it.each<[AttributeType, unknown]>([
    ['number', 'seven'],
    ['number', '1e999'],
    ['number', true],
    ['boolean', 'yes'],
    ['boolean', 1],
    ['string', ['a', 'b']],
    ['number_array', '1, two'],
    ['string_array', [['a']]],
  ])('of the type %s refuse %j', (type, value) => {
    expect(refusal(() => stored(type, value))).toBe(`scim.invalid_value: fact takes a ${type} value`);
  });

  it('are found in whatever case, an exact name first', () => {
    const facts = new CustomFacts([attribute('Team', 'string', 1), attribute('team', 'number', 2)]);
    expect([facts.attribute('Team').id, facts.attribute('team').id, facts.attribute('TEAM').id]).toEqual([1, 2, 1]);
    expect(facts.resource({ [USER]: { userName: 'ada' }, [CUSTOM]: { TEAM: 'x' } })).toEqual({
      [USER]: { userName: 'ada' },
      [CUSTOM]: { Team: 'x' },
    });
  });

  it('that the tenant does not keep are refused by name, in resources, changes and removals', () => {
    const facts = new CustomFacts([]);
    const change = (op: Change['op'], value?: string): Change => ({
      op,
      path: { schema: CUSTOM, name: 'floor' },
      ...(value !== undefined && { value }),
    });
    const refused = 'scim.invalid_value: There is no user attribute floor';
    expect(refusal(() => facts.resource({ [CUSTOM]: { floor: '3' } }))).toBe(refused);
    expect(refusal(() => facts.change(change('replace', '3')))).toBe(refused);
    expect(refusal(() => facts.change(change('remove')))).toBe(refused);
  });
});
