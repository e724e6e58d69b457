import { managerFor } from '@plinth/database';
import { createTestDatabase, type ServiceDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { controlPlaneSchema } from '../../control-plane.schema';
import { UsersRepository } from '../../people/users/users.repository';

const [tenantId, otherTenantId] = [1, 2];

describe('searching among many users', () => {
  let test: ServiceDatabase;
  const users = new UsersRepository();

  beforeAll(async () => {
    test = await createTestDatabase(controlPlaneSchema);
    await test.database.asSystem((tx) =>
      managerFor(tx).query(
        `insert into user_account (tenant_id, email, username)
         select tenant, 'person' || n || '@crowd.test', 'person' || n
         from generate_series(1, 10000) n, unnest($1::bigint[]) tenant`,
        [[tenantId, otherTenantId]],
      ),
    );
    const owner = new Client({ connectionString: test.url });
    await owner.connect();
    await owner.query('analyze control_plane.user_account');
    await owner.end();
  });
  afterAll(() => test?.drop());

  it('never finds those of another tenant', async () => {
    const found = await test.database.asSystem((tx) => users.searchIds(tx, tenantId, 'Person4321', 10));
    expect(found).toHaveLength(1);
    expect(await test.database.transaction(tenantId, (tx) => users.listByIds(tx, found))).toHaveLength(1);
    expect(await test.database.transaction(otherTenantId, (tx) => users.listByIds(tx, found))).toEqual([]);
  });

  it('goes by the index of letter triples', async () => {
    const plan = (await test.database.asSystem((tx) =>
      managerFor(tx).query(
        `explain select id from user_account
         where tenant_id = ${tenantId} and search_text like lower('%Person4321%') order by id limit 101`,
      ),
    )) as unknown;
    expect(JSON.stringify(plan)).toContain('user_account_tenant_id_search_text_index');
  });
});
