import { createEmptyDatabase, type TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { DropIntents1701200000000, provision, type ServiceSchema } from '.';

const old: ServiceSchema = { service: 'embed', entities: [], migrations: { preDeploy: [], postDeploy: [] } };
const current: ServiceSchema = { ...old, migrations: { preDeploy: [], postDeploy: [DropIntents1701200000000] } };

describe(DropIntents1701200000000.name, () => {
  let server: TestDatabase;
  let owner: Client;

  beforeEach(async () => {
    server = await createEmptyDatabase();
    owner = new Client({ connectionString: server.url });
    await owner.connect();
  });

  afterEach(async () => {
    await owner.end();
    await server.drop();
  });

  const hasTable = async (): Promise<boolean> =>
    (await owner.query("select to_regclass('embed.intent') is not null as it")).rows[0].it as boolean;

  it('fails and keeps the table when it has rows, until they are gone', async () => {
    await provision(server.url, old);
    await owner.query(`insert into embed.intent (id, tenant_id, deployment_id, refs, details, events, reply, lock_id)
      values (gen_random_uuid(), 1, 7, '[]', '{}', '[]', '{}', '1')`);
    await expect(provision(server.url, current)).rejects.toThrow('The table embed.intent has rows');
    expect((await owner.query('select from embed.intent')).rowCount).toBe(1);

    await owner.query('delete from embed.intent');
    await provision(server.url, current);
    expect(await hasTable()).toBe(false);
  });

  it('leaves the table to old replicas before the deployment, and takes it away after it', async () => {
    await provision(server.url, old);
    await provision(server.url, current, 'pre-deploy');
    expect(await hasTable()).toBe(true);
    await provision(server.url, current);
    await provision(server.url, current);
    expect(await hasTable()).toBe(false);
  });
});
