import { managerFor } from '@plinth/database';
import { newAdmin, newDeployment, startFixture, transports, type Fixture } from '../deployments/deployment-fixture';

describe.each(transports)('the audit event of a new deployment: %s', (transport) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture(transport);
  });
  afterAll(() => fixture?.stop());

  it('names the deployment, which the request could not', async () => {
    const admin = newAdmin();
    const { id } = await fixture.call(admin, 'createDeployment', { body: newDeployment('Sales') });
    const rows = await fixture.database.transaction(admin.tenantId, (tx) =>
      managerFor(tx).query<{ id: number }[]>(
        `select (payload ->> 'deploymentId')::bigint as id from outbox
         where type = 'audit.recorded' and payload ->> 'event' = 'Created deployment'
         union select deployment_id from audit_event where event = 'Created deployment'`,
      ),
    );
    expect(rows).toEqual([{ id }]);
  });
});
