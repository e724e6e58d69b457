import { converted } from '../testing/small-manifest';
import { planFiles } from './file-plan';

const OUTPUT = { outputPath: '/model/cubes/dbt/' };
const path = (name: string): string => `model/cubes/dbt/${name}.yml`;
const models = ['a', 'b', 'c'].map((name) => ({ name }));
const before = converted({ models }).files;

describe('a second sync', () => {
  it('leaves files alone that are not of a sync, or lie elsewhere', () => {
    const others = [
      { path: path('mine'), content: 'cubes: []\n' },
      { path: 'model/cubes/dbt_old/a.yml', content: before[0]?.content ?? '' },
      { path: 'model/a.yml', content: before[0]?.content ?? '' },
    ];
    expect(planFiles({ files: [], unselected: [] }, others, OUTPUT)).toEqual({
      write: [],
      delete: [],
      keep: [path('mine')],
    });
  });

  it('overwrites what changed, keeps what did not, and deletes what is gone', () => {
    const after = converted({ models: [{ name: 'a' }, { name: 'b', description: 'new' }, { name: 'd' }] });
    const plan = planFiles(after, before, OUTPUT);
    expect(plan.write.map((file) => file.path)).toEqual([path('b'), path('d')]);
    expect(plan).toMatchObject({ delete: [path('c')], keep: [path('a')] });
  });

  it('keeps files of models that were not chosen', () => {
    const after = converted({ models: models.slice(0, 2) }, {}, { selected: new Set(['model.shop.a']) });
    expect(planFiles(after, before, OUTPUT)).toEqual({ write: [], delete: [path('c')], keep: [path('a'), path('b')] });
  });

  it('overwrites a file that somebody wrote where a model has its own', () => {
    const { write } = planFiles({ files: before, unselected: [] }, [{ path: path('a'), content: 'mine' }], OUTPUT);
    expect(write).toHaveLength(3);
  });
});
