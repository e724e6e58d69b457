import { sampleShopModel, sampleShopSql } from '.';

describe('the sample shop', () => {
  it('has a cube for each of its tables, and a view', async () => {
    const tables = [...(await sampleShopSql()).matchAll(/create table (\w+)/g)].map(
      ([, table]) => `model/cubes/${table}.yml`,
    );
    const paths = (await sampleShopModel()).map(({ path }) => path);
    expect(paths).toEqual([...tables.sort(), 'model/views/sales.yml']);
  });
});
