import { ModelIndex } from './model-index';
import { membersOfQuery } from './query-members';

const model = new ModelIndex([
  {
    name: 'orders',
    kind: 'cube',
    measures: ['count'],
    dimensions: ['status', 'created_at'],
    segments: ['open'],
  },
]);
const missing = (query: unknown) => {
  const members = membersOfQuery(JSON.stringify(query));
  return members && model.missingOf(members);
};

describe('members of a query that a model does not have', () => {
  it('are found wherever a query names members, each told once and in order', () => {
    const query = {
      measures: ['orders.count', 'orders.a'],
      dimensions: ['orders.status', 'orders.b', 'users.city'],
      segments: ['orders.open', 'orders.c'],
      timeDimensions: [{ dimension: 'orders.created_at' }, { dimension: 'orders.d', granularity: 'day' }],
      filters: [
        { member: 'orders.status', operator: 'set' },
        { or: [{ and: [{ member: 'orders.e', operator: 'set' }] }, { dimension: 'orders.f', operator: 'set' }] },
      ],
      order: { 'orders.g': 'asc', 'orders.a': 'desc' },
    };
    const names = ['orders.a', 'orders.b', 'orders.c', 'orders.d', 'orders.e', 'orders.f', 'orders.g', 'users.city'];
    expect(missing(query)).toEqual(names);
  });

  it('are those that are there as something else', () => {
    const query = { measures: ['orders.status'], dimensions: ['orders.count'], segments: ['orders.status'] };
    expect(missing(query)).toEqual(['orders.count', 'orders.status']);
  });

  it.each([
    ['orders as pairs', { order: [['orders.x', 'asc']] }],
    ['orders as objects', { order: [{ id: 'orders.x', desc: true }] }],
    ['several queries', [{ measures: ['orders.count'] }, { measures: ['orders.x'] }]],
  ])('are found in %s', (_what, query) => {
    expect(missing(query)).toEqual(['orders.x']);
  });

  it('are none of a grain, of what the query computes by itself, and of shapes that say nothing', () => {
    expect(missing({ dimensions: ['orders.created_at.month'], order: { 'orders.created_at.day': 'asc' } })).toEqual([]);
    expect(missing({ measures: [{ expression: 'x' }, '{"expression":"x"}', 7, null] })).toEqual([]);
    expect(missing({ measures: 'orders.x', filters: [7, null, { and: 7 }], order: 7, timeDimensions: [7] })).toEqual(
      [],
    );
  });

  it('are found at any depth, without running out of stack', () => {
    const depth = 3_000;
    const text = `{"filters":[${'{"and":['.repeat(depth)}{"member":"orders.x"}${']}'.repeat(depth)}]}`;
    expect(model.missingOf(membersOfQuery(text) ?? { measures: [], dimensions: [], segments: [], either: [] })).toEqual(
      ['orders.x'],
    );
  });

  it.each(['', 'select 1', '7', 'null', '[7]', '[]'])('cannot be told of %p, which is no query', (text) => {
    expect(membersOfQuery(text)).toBeUndefined();
  });
});
