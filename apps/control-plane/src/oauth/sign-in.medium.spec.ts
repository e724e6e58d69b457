import { setTimeout as pause } from 'node:timers/promises';
import { anonymousPrincipal, type Principal } from '@plinth/auth';
import { newTenant, type TestTenant } from '../access/access-fixture';
import { startFixture, type Fixture } from '../deployments/deployment-fixture';

const password = 'correct horse battery';

describe('signing in', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let visitor: Principal;
  let people = 0;

  beforeAll(async () => {
    platform = await startFixture();
    tenant = await newTenant(platform);
    visitor = anonymousPrincipal(tenant.id, 'tenant');
  });
  afterAll(() => platform.stop());

  const newPerson = async () => {
    const email = `person-${(people += 1)}@people.test`;
    const { id } = await platform.call(tenant.admin, 'createUser', { body: { email, username: email, password } });
    return { id, email };
  };
  const signIn = async (email: string, word = password, by = visitor) =>
    (await platform.call(by, 'signIn', { body: { email, password: word } })).userId;
  const recorded = async (email: string) => {
    const rows = await platform.database.readAsSystem<{ event: string }>(
      {
        name: 'events of a person',
        text: `select event from audit_event where actor_email = $1 or attributes->>'email' = $1 order by event`,
      },
      [email],
    );
    return rows.map(({ event }) => event).join();
  };

  it('is refused with a wrong password, to nobody, in another tenant, and when deactivated', async () => {
    const { id, email } = await newPerson();
    expect(await signIn(email, 'wrong password')).toBeNull();
    expect(await signIn('nobody@people.test')).toBeNull();
    expect(await signIn(email, password, anonymousPrincipal((await newTenant(platform)).id, 'other'))).toBeNull();
    expect(await signIn(email)).toBe(id);
    await platform.call(tenant.admin, 'updateUser', { path: { id }, body: { isDeactivated: true } });
    expect(await signIn(email)).toBeNull();
    const { user } = await platform.call(visitor, 'describeSignedInUser', { body: { userId: id } });
    expect(user).toBeNull();
  });

  it('pauses for an account after ten failures, whether it exists or not, and for no other', async () => {
    const [{ email }, other] = [await newPerson(), await newPerson()];
    for (const target of [email, 'ghost@people.test']) {
      for (let attempt = 0; attempt < 10; attempt += 1) expect(await signIn(target, 'wrong password')).toBeNull();
      const body = { email: target.toUpperCase(), password };
      expect(await platform.refusal(visitor, 'signIn', { body })).toBe('request.rate_limited');
    }
    expect(await signIn(other.email)).toBe(other.id);
  });

  it('is in the audit log, as are failures and signing out', async () => {
    const { id, email } = await newPerson();
    await signIn(email, 'wrong password');
    await signIn(email);
    await platform.call(visitor, 'signOut', { body: { userId: id } });
    const expected = 'Created user,Failed to log in,Logged in,Logged out';
    const deadline = Date.now() + 20_000;
    while ((await recorded(email)) !== expected && Date.now() < deadline) await pause(50);
    expect(await recorded(email)).toBe(expected);
  });
});
