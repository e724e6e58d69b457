import 'reflect-metadata';
import { anonymousPrincipal, systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, Schemas } from '@plinth/contract';
import { hashOf, newSecret } from '../../credentials/api-keys/api-key-secret';
import { recordedActions } from '../../testing/recorded-actions-fixture';
import { startFixture, transports, type Fixture } from '../../testing/deployment-fixture';
import { newTenantAdmin, newUser, principalOf } from '../../testing/account-fixture';

const password = 'correct horse battery';
const another = `${password} staple`;

describe.each(transports)("a user's own password over %s", (transport) => {
  let platform: Fixture;
  let admin: Principal;
  let ada: Schemas['User'];
  let caller: Principal;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    admin = await newTenantAdmin(platform);
    ada = await platform.call(admin, 'createUser', { body: newUser('ada', { password }) });
    caller = principalOf(admin.tenantId, ada);
  });

  const bodyOf = (currentPassword: string, newPassword = another) => ({ body: { currentPassword, newPassword } });
  const change = (currentPassword = password, newPassword = another, by = caller) =>
    platform.call(by, 'changeMyPassword', bodyOf(currentPassword, newPassword));
  const refusal = (currentPassword: string, newPassword = another, by = caller) =>
    platform.refusal(by, 'changeMyPassword', bodyOf(currentPassword, newPassword));
  const verify = async (word: string) => {
    const body = { email: ada.email, password: word };
    return (await platform.call(anonymousPrincipal(admin.tenantId, 'acme'), 'signIn', { body })).userId;
  };

  it('is not changed by whoever does not know it, or is nobody', async () => {
    expect(await refusal('something else entirely')).toBe('password.wrong');
    expect(await refusal(password, another, { ...caller, userId: null })).toBe('auth.credential_invalid');
    expect(await refusal(password, another, anonymousPrincipal(admin.tenantId, 'acme'))).toBe(
      'auth.credential_missing',
    );
    expect(await verify(password)).toBe(ada.id);
    expect(await recordedActions(platform.database, admin.tenantId, 'Changed password')).toEqual([]);
  });

  it('is not there for a service user, nor for people who sign in elsewhere', async () => {
    const invited = await platform.call(admin, 'createUser', { body: newUser('invited') });
    expect(await refusal('', another, principalOf(admin.tenantId, invited))).toBe('password.wrong');
    const external = await platform.call(admin, 'createUser', { body: newUser('sso', { isExternal: true }) });
    expect(await refusal(password, another, principalOf(admin.tenantId, external))).toBe('user.has_no_password');
  });

  it('stays when the new one breaks the rules', async () => {
    for (const wrong of ['short', 'x'.repeat(129), 'ADA@people.test']) {
      expect(await refusal(password, wrong)).toBe('password.unacceptable');
    }
    expect(await verify(password)).toBe(ada.id);
  });

  it('is guessed a few times only, by this way and by signing in together', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await refusal(`guess number ${attempt}`)).toBe('password.wrong');
      expect(await verify(`guess number ${attempt}`)).toBeNull();
    }
    expect(await refusal(password)).toBe('request.rate_limited');
  });

  it('is replaced by one of two changes at the same time', async () => {
    const outcomes = await Promise.allSettled([change(password, `${another} 1`), change(password, `${another} 2`)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [refused] = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'password.wrong' } });
  });

  it('is changed once by a request that is sent again', async () => {
    const request = { ...bodyOf(password), idempotencyKey: 'once' };
    expect(await platform.call(caller, 'changeMyPassword', request)).toEqual({ success: true });
    expect(await platform.call(caller, 'changeMyPassword', request)).toEqual({ success: true });
    expect(await verify(another)).toBe(ada.id);
    expect(await recordedActions(platform.database, admin.tenantId, 'Changed password')).toHaveLength(1);
  });

  it('takes every other session and every link with it, and not the session that it is changed in', async () => {
    const [own, other] = [await newSession(), await newSession()];
    const { url } = await platform.call(admin, 'resetUserPassword', { path: { id: ada.id } });
    const notices = platform.notices('control-plane.credential.changed');
    await change(password, another, own.principal);
    expect(await verify(password)).toBeNull();
    expect(await verify(another)).toBe(ada.id);
    expect((await own.authenticate()).principal).toMatchObject({ userId: ada.id });
    expect((await other.authenticate()).principal).toBeNull();
    const body = { tokenHash: hashOf(url.split('/').at(-1) ?? '') };
    expect(await platform.refusal(caller, 'describePasswordLink', { body })).toBe('password_link.not_found');
    expect(notices).toContainEqual({ tenantId: admin.tenantId });
  });

  async function newSession() {
    const [grantHash, secret] = [hashOf(newSecret()), newSecret()];
    const store = (body: Pick<BodyOf<'storeOAuthArtefact'>, 'kind' | 'idHash'>) =>
      platform.call(admin, 'storeOAuthArtefact', {
        body: { ...body, grantHash, userId: ada.id, scope: 'api', content: {}, expiresInSeconds: 60 },
      });
    await store({ kind: 'Grant', idHash: grantHash });
    await store({ kind: 'AccessToken', idHash: hashOf(secret) });
    const body = { tenantId: admin.tenantId, tokenHash: hashOf(secret) };
    const authenticate = () => platform.call(systemPrincipal(admin.tenantId), 'authenticate', { body });
    const { principal } = await authenticate();
    if (!principal) throw new Error('The session is not accepted');
    return { principal, authenticate };
  }
});
