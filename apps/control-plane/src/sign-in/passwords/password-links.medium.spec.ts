import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { anonymousPrincipal, type Principal } from '@plinth/auth';
import { startFixture, transports, type Fixture } from '../../testing/deployment-fixture';
import { recordedActions } from '../../testing/recorded-actions-fixture';
import { newTenantAdmin, newUser, until, viewerBeside } from '../../testing/account-fixture';

const password = 'correct horse battery';

describe.each(transports)('password links over %s', (transport) => {
  let platform: Fixture;
  let admin: Principal;
  let visitor: Principal;
  let id: number;
  let link: string;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    admin = await newTenantAdmin(platform);
    visitor = anonymousPrincipal(admin.tenantId, 'acme');
    const user = await platform.call(admin, 'createUser', { body: newUser('ada', { firstName: 'Ada' }) });
    id = user.id;
    link = user.invitation?.url ?? '';
  });

  const tokenHash = (url: string) =>
    createHash('sha256')
      .update(url.split('/').at(-1) ?? '')
      .digest('hex');
  const invite = () => platform.call(admin, 'inviteUser', { path: { id } });
  const accept = (url = link, word = password) =>
    platform.call(visitor, 'usePasswordLink', { body: { tokenHash: tokenHash(url), password: word } });
  const refusal = (url = link, by = visitor, word = password) =>
    platform.refusal(by, 'usePasswordLink', { body: { tokenHash: tokenHash(url), password: word } });
  const describing = (url = link) =>
    platform.call(visitor, 'describePasswordLink', { body: { tokenHash: tokenHash(url) } });
  const verify = async (email: string, word: string, by = visitor) =>
    (await platform.call(by, 'signIn', { body: { email, password: word } })).userId;
  const user = async () =>
    (await platform.call(admin, 'getUsers', { query: { search: 'ada' } })).items.find((each) => each.id === id);

  it('lets a person in with the password that they set, and nobody before', async () => {
    expect(await describing()).toEqual({ email: 'ada@people.test', firstName: 'Ada', purpose: 'invitation' });
    expect(await verify('ada@people.test', password)).toBeNull();
    expect(await user()).toMatchObject({ status: 'INVITED', lastLogin: null });
    expect(await accept()).toEqual({ email: 'ada@people.test' });
    expect(await user()).toMatchObject({ status: 'ACTIVE', lastLogin: null });
    expect(await verify('ADA@people.test', password)).toBe(id);
    expect(await user()).toMatchObject({ lastLogin: expect.any(String) });
  });

  it('work once, also for many at the same time', async () => {
    const outcomes = await Promise.allSettled(
      ['one', 'two', 'three'].map((word) => accept(link, `${password} ${word}`)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusal()).toBe('password_link.not_found');
    await expect(describing()).rejects.toMatchObject({ code: 'password_link.not_found' });
  });

  it('of another tenant are unknown', async () => {
    const stranger = anonymousPrincipal((await newTenantAdmin(platform)).tenantId, 'other');
    expect(await refusal(link, stranger)).toBe('password_link.not_found');
    expect(await accept()).toMatchObject({ email: 'ada@people.test' });
    expect(await verify('ada@people.test', password, stranger)).toBeNull();
  });

  it('are worthless once replaced, expired, or the account is locked or has a password from elsewhere', async () => {
    const { url } = await invite();
    expect(await refusal(link)).toBe('password_link.not_found');
    const update = (body: object) => platform.call(admin, 'updateUser', { path: { id }, body });
    await update({ isDeactivated: true });
    expect(await refusal(url)).toBe('password_link.not_found');
    await update({ isDeactivated: false, password: `${password} of the admin` });
    expect(await refusal(url)).toBe('password_link.not_found');
    const last = await invite();
    await platform.database.readAsSystem({
      name: 'expire-password-links',
      text: `update user_invitation set expires_at = now() - interval '1 second'`,
    });
    expect(await refusal(last.url)).toBe('password_link.not_found');
  });

  it('last as long as the operator says', async () => {
    const { expiresAt } = await invite();
    const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThanOrEqual(7);
  });

  it('stay usable after a password that breaks the rules', async () => {
    for (const wrong of ['short', 'x'.repeat(129), 'ADA@people.test']) {
      expect(await refusal(link, visitor, wrong)).toBe('password.unacceptable');
    }
    expect(await accept(link, 'ünïcödé ✓ wörds')).toMatchObject({ email: 'ada@people.test' });
    expect(await verify('ada@people.test', 'ünïcödé ✓ wörds'.normalize('NFD'))).toBe(id);
  });

  it('are not made for people who are locked out or sign in elsewhere', async () => {
    await platform.call(admin, 'updateUser', { path: { id }, body: { isDeactivated: true } });
    expect(await platform.refusal(admin, 'inviteUser', { path: { id } })).toBe('user.has_no_password');
    const external = await platform.call(admin, 'createUser', { body: newUser('sso', { isExternal: true }) });
    const path = { id: external.id };
    expect(await platform.refusal(admin, 'inviteUser', { path })).toBe('user.has_no_password');
  });

  it('tell the gateways when they change a password, and the audit log who did', async () => {
    const notices = platform.notices('control-plane.credential.changed');
    await accept();
    await until(() => notices.some(({ tenantId }) => tenantId === admin.tenantId));
    expect(await recordedActions(platform.database, admin.tenantId, 'Changed password')).toMatchObject([
      { actorEmail: 'ada@people.test' },
    ]);
  });

  it('never tell wrong from unknown, deactivated or invited people', async () => {
    await accept();
    expect(await verify('ada@people.test', `${password}!`)).toBeNull();
    expect(await verify('nobody@people.test', password)).toBeNull();
    await platform.call(admin, 'updateUser', { path: { id }, body: { isDeactivated: true } });
    expect(await verify('ada@people.test', password)).toBeNull();
  });

  describe('to reset a password', () => {
    const reset = () => platform.call(admin, 'resetUserPassword', { path: { id } });
    const another = `${password} staple`;

    beforeEach(() => accept());

    it('are for administrators to ask for, in their own tenant', async () => {
      const path = { id };
      expect(await platform.refusal(viewerBeside(admin), 'resetUserPassword', { path })).toBe('access.denied');
      expect(await platform.refusal(visitor, 'resetUserPassword', { path })).toBe('auth.credential_missing');
      const stranger = await newTenantAdmin(platform);
      expect(await platform.refusal(stranger, 'resetUserPassword', { path })).toBe('user.not_found');
    });

    it('are not made for people who are locked out or sign in elsewhere', async () => {
      await platform.call(admin, 'updateUser', { path: { id }, body: { isDeactivated: true } });
      expect(await platform.refusal(admin, 'resetUserPassword', { path: { id } })).toBe('user.has_no_password');
      const external = await platform.call(admin, 'createUser', { body: newUser('sso', { isExternal: true }) });
      const path = { id: external.id };
      expect(await platform.refusal(admin, 'resetUserPassword', { path })).toBe('user.has_no_password');
    });

    it('leave the password of before alone until they are used, once', async () => {
      const { url } = await reset();
      expect(url).toMatch(/\/auth\/password-reset\/[\w-]{43}$/);
      expect(await describing(url)).toMatchObject({ purpose: 'password-reset' });
      expect(await verify('ada@people.test', password)).toBe(id);
      await accept(url, another);
      expect(await verify('ada@people.test', password)).toBeNull();
      expect(await verify('ada@people.test', another)).toBe(id);
      expect(await refusal(url)).toBe('password_link.not_found');
    });

    it('are worthless once replaced, also by an invitation, and once the password is changed in another way', async () => {
      const first = await reset();
      const invitation = await invite();
      expect(await refusal(first.url)).toBe('password_link.not_found');
      const second = await reset();
      expect(await refusal(invitation.url)).toBe('password_link.not_found');
      await platform.call(admin, 'updateUser', { path: { id }, body: { password: another } });
      expect(await refusal(second.url)).toBe('password_link.not_found');
    });

    it('work for a day, and are recorded when they are asked for', async () => {
      const { expiresAt } = await reset();
      const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(23.9);
      expect(hours).toBeLessThanOrEqual(24);
      const requested = await recordedActions(platform.database, admin.tenantId, 'Requested password reset');
      expect(requested).toMatchObject([{ actorEmail: admin.email, attributes: { id } }]);
      expect(JSON.stringify(requested)).not.toContain('/auth/');
    });
  });
});
