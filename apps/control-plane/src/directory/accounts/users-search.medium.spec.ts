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
    const condition = `search_text like lower('%Person4321%') order by id limit 101`;
    expect(await planOf(condition)).toContain('user_account_tenant_id_search_text_index');
  });

  it('goes by the indexes of ids and of addresses for those who get mail', async () => {
    const plan = await planOf(`(id = any('{7}') or lower(email) = any('{person4321@crowd.test}'))`);
    expect(plan).toContain('user_account_tenant_id_email_unique');
    expect(plan).not.toContain('Seq Scan');
  });

  it('goes by the indexes of addresses and of names for one user', async () => {
    const plan = await planOf(`(lower(email) = 'person7' or email is null and lower(username) = 'person7')`);
    expect(plan).toContain('user_account_tenant_id_username_unique');
    expect(plan).not.toContain('Seq Scan');
  });

  const planOf = async (condition: string): Promise<string> => {
    const text = `explain select id from user_account where tenant_id = ${tenantId} and ${condition}`;
    return JSON.stringify(await test.database.asSystem((tx) => managerFor(tx).query(text)));
  };
});
