import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { runInContext } from '@plinth/observability';
import { until } from '@plinth/testing';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { startEmbed, transports, type EmbedFixture } from '../testing/embed-fixture';
import { DEPLOYMENT, testSessions, type TestSessions } from '../testing/session-fixture';

const unknown = { status: 401, code: 'embed_session.unknown' };

describe.each(transports)('embed sessions, by %s', (transport) => {
  let platform: EmbedFixture;
  let sessions: TestSessions;

  beforeAll(async () => {
    platform = await startEmbed(transport);
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    sessions = testSessions(platform);
  });

  const revoke = (sessionId: string) => platform.call(sessions.account.admin, 'revokeSession', { body: { sessionId } });
  const rotate = (graceSeconds?: number) =>
    platform.call(sessions.account.admin, 'rotateEmbedSecret', { body: { graceSeconds } });
  const isOver = async (principal: Principal, token: string): Promise<void> => {
    expect(await sessions.authenticate(token)).toBeNull();
    const body = { sessionId: principal.embed?.sessionId };
    const system = systemPrincipal(sessions.account.tenantId);
    expect(await platform.refusal(system, 'describeEmbedSession', { body })).toEqual({
      status: 404,
      code: 'embed_session.ended',
    });
  };

  it('are exchanged by one of twenty who try at the same moment', async () => {
    const sessionId = await sessions.generate();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => sessions.exchange(sessionId).catch(({ code }: { code: string }) => code)),
    );
    expect(outcomes.filter((outcome) => outcome !== unknown.code)).toHaveLength(1);
    expect(await sessions.exchangeRefusal(sessionId)).toEqual(unknown);
  });

  it.each(['0'.repeat(32), 'x', "' or true --"])('are not opened by the id %j that nobody was given', async (id) => {
    expect(await sessions.exchangeRefusal(id)).toEqual(unknown);
  });

  it('cannot be exchanged once they are revoked, nor when five minutes have passed', async () => {
    const [revoked, late, intime] = [await sessions.generate(), await sessions.generate(), await sessions.generate()];
    await revoke(revoked);
    expect(await sessions.exchangeRefusal(revoked)).toEqual(unknown);
    await sessions.pass(4);
    expect(await sessions.exchange(intime)).toBeTruthy();
    await sessions.pass(1);
    expect(await sessions.exchangeRefusal(late)).toEqual(unknown);
  });

  it("are no other account's to exchange, to use or to end", async () => {
    const [sessionId, { token, principal, sessionId: opened }] = [await sessions.generate(), await sessions.open()];
    const other = testSessions(platform);
    expect(await other.exchangeRefusal(sessionId)).toEqual(unknown);
    expect(await other.authenticate(token)).toBeNull();
    for (const id of [sessionId, opened]) {
      await platform.call(other.account.admin, 'revokeSession', { body: { sessionId: id } });
    }
    expect(await sessions.authenticate(token)).toEqual(principal);
    expect(await sessions.exchange(sessionId)).toBeTruthy();
  });

  it('are over for everybody who remembers them when they are revoked, again and again without fault', async () => {
    const { sessionId, token, principal } = await sessions.open();
    const notices = platform.notices('embed.session.changed');
    await revoke(sessionId);
    await isOver(principal, token);
    await until(
      'the notice',
      () => notices,
      ({ length }) => length > 0,
    );
    expect(notices).toEqual([{ tenantId: sessions.account.tenantId }]);
    await revoke(sessionId);
    await revoke('f'.repeat(32));
    expect(notices).toHaveLength(1);
  });

  it('are over after 24 hours', async () => {
    const { token, principal } = await sessions.open();
    await sessions.pass(24 * 60 - 1);
    expect(await sessions.authenticate(token)).toEqual(principal);
    await sessions.pass(1);
    await isOver(principal, token);
  });

  it('are over with their embed tenant, whose sessions alone end', async () => {
    const doomed = await sessions.open({ embedTenantName: 'acme' });
    const waiting = await sessions.generate({ embedTenantName: 'acme' });
    const other = await sessions.open({ embedTenantName: 'other' });
    const notices = platform.notices('embed.session.changed');
    await platform.call(sessions.account.admin, 'deleteEmbedTenant', { path: { embedTenantName: 'acme' } });
    await isOver(doomed.principal, doomed.token);
    expect(await sessions.exchangeRefusal(waiting)).toEqual(unknown);
    await until(
      'the notice',
      () => notices,
      ({ length }) => length > 0,
    );
    expect(await sessions.authenticate(other.token)).toEqual(other.principal);
  });

  it('are over with their deployment', async () => {
    sessions.account.deployments.set(13, { served: [], others: [] });
    const [doomed, other] = [await sessions.open(), await sessions.open({ deploymentId: 13 })];
    const notices = platform.notices('embed.session.changed');
    const events = [{ eventId: randomUUID(), type: 'deployment.deleted', payload: { deploymentId: DEPLOYMENT } }];
    const { tenantId } = sessions.account;
    await platform.call(systemPrincipal(tenantId), 'deliverEventsToEmbed', { body: { tenantId, events } });
    await isOver(doomed.principal, doomed.token);
    await until(
      'the notice',
      () => notices,
      ({ length }) => length > 0,
    );
    expect(await sessions.authenticate(other.token)).toEqual(other.principal);
  });

  it('open nothing while embedding is off', async () => {
    const [{ token, principal }, waiting] = [await sessions.open(), await sessions.generate()];
    sessions.account.isEmbeddingEnabled = false;
    await isOver(principal, token);
    expect(await sessions.exchangeRefusal(waiting)).toEqual({ status: 403, code: 'embedding.off' });
    sessions.account.isEmbeddingEnabled = true;
    expect(await sessions.authenticate(token)).toEqual(principal);
    expect(await sessions.exchange(waiting)).toBeTruthy();
  });

  it('of a user of the account are over when the user is deactivated or signed out everywhere', async () => {
    const ada = { userId: 7, generation: 3, isAdmin: true };
    sessions.account.users.set('ada', ada).set('bob', { userId: 8, generation: 0, isAdmin: false });
    const [deactivated, signedOut] = [
      await sessions.open({ externalId: null, internalId: 'ada' }),
      await sessions.open({ externalId: null, internalId: 'bob' }),
    ];
    expect(deactivated.principal).toMatchObject({ userId: 7, isAdmin: true, deploymentIds: [DEPLOYMENT] });
    sessions.account.users.delete('ada');
    sessions.account.users.set('bob', { userId: 8, generation: 1, isAdmin: false });
    await isOver(deactivated.principal, deactivated.token);
    await isOver(signedOut.principal, signedOut.token);
  });

  it('end at once when the secret is rotated, or after a grace period; a waiting one is signed by the new secret', async () => {
    const [first, waiting] = [await sessions.open(), await sessions.generate()];
    expect(await rotate(3_600)).toMatchObject({ previousTokensExpireAt: expect.any(String) });
    const second = await sessions.exchange(waiting);
    expect(await sessions.authenticate(first.token)).toEqual(first.principal);
    expect(await sessions.authenticate(second)).toBeTruthy();
    expect(await rotate()).toMatchObject({ previousTokensExpireAt: null });
    expect(await sessions.authenticate(first.token)).toBeNull();
    expect(await sessions.authenticate(second)).toBeNull();
    expect(await sessions.open()).toBeTruthy();
  });

  it('have at most five secrets at once, each counted when many rotate at the same moment', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => rotate(60).catch(({ code }: { code: string }) => code)),
    );
    expect(outcomes.filter((outcome) => outcome === 'embedding.too_many_secrets')).toHaveLength(2);
    expect(await sessions.count('embed_secret')).toBe(5);
  });

  it('are not opened by a token that somebody else has signed, or nobody', async () => {
    const { token, principal } = await sessions.open();
    const key = new TextEncoder().encode('s'.repeat(48));
    const forged = new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'HS256', kid: '1' });
    const [header = '', claims = '', signature = ''] = token.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: '1' })).toString('base64url');
    const tokens = [
      await forged.sign(key),
      `${none}.${claims}.`,
      `${header}.${claims}.${signature.slice(0, -4)}`,
      'sk-1',
      'a.b.c',
    ];
    for (const each of tokens) expect(await sessions.authenticate(each)).toBeNull();
    expect(await sessions.authenticate(token)).toEqual(principal);
  });

  it('are known by a name that opens nothing, and are one when a host repeats its request', async () => {
    const context = { requestId: 'test', idempotency: { operationId: 'generateSession', key: 'k', fingerprint: 'f' } };
    const ids = [
      await runInContext(context, () => sessions.generate()),
      await runInContext(context, () => sessions.generate()),
    ];
    expect(new Set(ids).size).toBe(1);
    expect(await sessions.count('embed_session')).toBe(1);
    const principal = await sessions.authenticate(await sessions.exchange(ids[0] ?? ''));
    expect(principal?.embed?.sessionId).toMatch(/^[0-9a-f]{32}$/);
    expect(principal?.embed?.sessionId).not.toBe(ids[0]);
    expect(await sessions.exchangeRefusal(principal?.embed?.sessionId ?? '')).toEqual(unknown);
  });

  it('have tokens of 24 hours with the switches that were given', async () => {
    const { token } = await sessions.open({ settings: { allowAi: false, showMemberNames: null, locale: 'de' } });
    const { iat = 0, ...claims } = decodeJwt(token);
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'HS256' });
    expect(claims).toEqual({
      iss: 'cubecloud',
      jti: expect.any(String),
      exp: expect.any(Number),
      deploymentId: DEPLOYMENT,
      settings: { allowAi: false, locale: 'de' },
    });
    expect(Math.abs((claims.exp ?? 0) - iat - 24 * 3_600)).toBeLessThanOrEqual(2);
  });

  it('are marked as the last sign-in of the embed user when they are exchanged', async () => {
    const path = { embedTenantName: 'acme' };
    const lastLogin = async () =>
      (await platform.call(sessions.account.admin, 'listEmbedUsers', { path })).items[0]?.lastLogin;
    const sessionId = await sessions.generate(path);
    expect(await lastLogin()).toBeNull();
    await sessions.exchange(sessionId);
    expect(await lastLogin()).toEqual(expect.any(String));
  });
});
