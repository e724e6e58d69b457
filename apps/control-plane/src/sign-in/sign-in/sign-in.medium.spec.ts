import { anonymousPrincipal, systemPrincipal, type Principal } from '@plinth/auth';
import { until } from '@plinth/testing';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { hashOf } from '../../credentials/api-keys/api-key-secret';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';
import { FailedAttemptsRepository } from '../guessing/failed-attempts.repository';
import { GuessingThrottle } from '../guessing/guessing-throttle';

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

  it('counts whom the database takes for one account as one, whatever letters are used', async () => {
    const { id } = await newPerson();
    await platform.database.readAsSystem(
      { name: 'name a person', text: `update user_account set email = 'kiwi-viewer@people.test' where id = $1` },
      [id],
    );
    // U+0130 and U+212A: letters that the database folds to i and k, and JavaScript to something else or not alike.
    const spellings = ['v\u0130ewer', 'V\u0130EWER', 'VIEWER', 'viewer'].map((word) => `k\u0130wi-${word}@people.test`);
    spellings.push('\u212Aiwi-viewer@people.test');
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(await signIn(spellings[attempt % spellings.length] ?? '', 'wrong password')).toBeNull();
    }
    for (const email of spellings) {
      expect(await platform.refusal(visitor, 'signIn', { body: { email, password } })).toBe('request.rate_limited');
    }
  });

  it('is counted once for all processes, and the count outlives them', async () => {
    const limits = { signInAttemptsPerAccount: 3, signInAttemptsPerAddress: 5 };
    const processes = [1, 2, 3].map(
      () => new GuessingThrottle(platform.database, new FailedAttemptsRepository(), limits),
    );
    const attempt = (email: string, index = 0) => processes[index % 3]?.enterPassword(tenant.id, email, '203.0.113.1');
    const guesses = await Promise.allSettled([0, 1, 2, 3].map((index) => attempt('victim@people.test', index)));
    expect(guesses.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    await processes[0]?.acceptPassword(tenant.id, 'victim@people.test', '203.0.113.1');
    await attempt('victim@people.test');
    await attempt('other@people.test', 1);
    const refusal = { code: 'request.rate_limited', retryAfterSeconds: expect.any(Number) };
    await expect(attempt('third@people.test', 2)).rejects.toMatchObject(refusal);
    await expect(processes[0]?.enterPassword(tenant.id, 'third@people.test', '203.0.113.2')).resolves.toBeUndefined();
  });

  it('is counted for all addresses of one IPv6 client together', async () => {
    const limits = { signInAttemptsPerAccount: 100, signInAttemptsPerAddress: 2 };
    const throttle = new GuessingThrottle(platform.database, new FailedAttemptsRepository(), limits);
    const attempt = (address: string) => throttle.enterPassword(tenant.id, `at-${address}@people.test`, address);
    await attempt('2600:1:2:3::1');
    await attempt('2600:1:2:3:ffff::2');
    await expect(attempt('2600:1:2:3::3')).rejects.toMatchObject({ code: 'request.rate_limited' });
    await attempt('2600:1:2:4::1');
  });

  it('begins to count anew when the period is over, and keeps nothing that tells who was tried', async () => {
    const attempts = new FailedAttemptsRepository();
    const subject = 'account:1:somebody@people.test';
    expect(await attempts.add(platform.database, subject)).toMatchObject({ attempts: 1 });
    expect(await attempts.add(platform.database, subject)).toMatchObject({ attempts: 2 });
    const stored = await platform.database.readAsSystem<{ text: string }>({
      name: 'attempts as text',
      text: 'select f::text as text from failed_attempt f',
    });
    expect(JSON.stringify(stored)).not.toContain('somebody');
    await platform.database.readAsSystem({ name: 'end periods', text: 'update failed_attempt set ends_at = now()' });
    expect(await attempts.add(platform.database, subject)).toMatchObject({ attempts: 1 });
  });

  it('by a device is refused after many wrong codes, even with the right one', async () => {
    const edge = systemPrincipal(tenant.id);
    const [idHash, aliasHash, wrongHash] = ['device', 'RIGHT', 'WRONG'].map(hashOf);
    const body = { kind: 'DeviceCode', idHash, aliasHash, content: {}, expiresInSeconds: 60 };
    await platform.call(edge, 'storeOAuthArtefact', { body });
    const find = (alias = aliasHash) => ({ body: { kind: 'DeviceCode', aliasHash: alias } });
    for (let attempt = 0; attempt < 50; attempt += 1) {
      if (attempt % 10 === 0) expect(await platform.call(edge, 'findOAuthArtefact', find())).toEqual({ content: {} });
      expect(await platform.call(edge, 'findOAuthArtefact', find(wrongHash))).toEqual({ content: null });
    }
    expect(await platform.refusal(edge, 'findOAuthArtefact', find())).toBe('request.rate_limited');
  });

  it('is in the audit log, as are failures and signing out', async () => {
    const { id, email } = await newPerson();
    await signIn(email, 'wrong password');
    await signIn(email);
    await platform.call(visitor, 'signOut', { body: { userId: id } });
    const expected = 'Created user,Failed to log in,Logged in,Logged out';
    await until(
      'the events',
      () => recorded(email),
      (events) => events === expected,
    );
  });
});
