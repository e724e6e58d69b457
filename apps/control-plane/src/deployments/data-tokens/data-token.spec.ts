import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { readDataToken, refusalOf, signDataToken, type DataToken, type DataTokenFacts } from './data-token';

const secret = { version: 3, secret: 'the secret of a deployment, which is long enough' };
const facts: DataTokenFacts = {
  userId: 7,
  generation: 2,
  deploymentId: 12,
  environment: 31,
  purpose: 'environment',
};
const grant = { securityContext: { team: 'sales' }, scopes: [] as string[] };
const here = { deploymentId: 12, environmentId: 31, isProduction: false, use: 'data' as const };

const signed = async (more: Partial<DataTokenFacts> = {}, scopes: string[] = [], lifetimeSeconds = 60) =>
  (await signDataToken(secret, { ...facts, ...more }, { ...grant, scopes }, lifetimeSeconds)).token;
const read = async (token: string): Promise<DataToken> => {
  const found = await readDataToken(token, [secret]);
  if (typeof found === 'string') throw new Error(found);
  return found;
};

describe(readDataToken.name, () => {
  it.each(['', 'a.b.c', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyOjcifQ.'])('refuses %j', async (token) => {
    expect(await readDataToken(token, [secret])).toBe('invalid');
  });

  it('refuses what another secret has signed, under its own number and under that of ours', async () => {
    for (const version of [3, 4]) {
      const other = { version, secret: 'the secret of another deployment, long enough' };
      const { token } = await signDataToken(other, facts, grant, 60);
      expect(await readDataToken(token, [secret])).toBe('invalid');
    }
    expect(await readDataToken(await signed(), [])).toBe('invalid');
  });

  it('refuses a token whose time is over', async () => {
    expect(await readDataToken(await signed({}, [], -1), [secret])).toBe('expired');
  });

  it.each(['exp', 'iat', 'sub', 'aud', 'jti', 'plinth'])('refuses a token without %s', async (claim) => {
    const claims = Object.fromEntries(Object.entries(decodeJwt(await signed())).filter(([name]) => name !== claim));
    const key = new TextEncoder().encode(secret.secret);
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: '3' }).sign(key);
    expect(await readDataToken(token, [secret])).toBe('invalid');
  });

  it('refuses a token for other ears', async () => {
    const key = new TextEncoder().encode(secret.secret);
    const claims = { ...decodeJwt(await signed()), aud: 'somebody-else' };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: '3' }).sign(key);
    expect(await readDataToken(token, [secret])).toBe('invalid');
  });

  it('tells what was signed, and no two tokens are the same', async () => {
    const token = await signed({}, ['sql-runner']);
    expect(await read(token)).toEqual({
      ...{ ...facts, securityContext: { team: 'sales' }, scopes: ['sql-runner'], secretVersion: 3 },
      tokenId: decodeJwt(token).jti,
      expiresAt: new Date((decodeJwt(token).exp ?? 0) * 1_000),
    });
    expect(await signed()).not.toBe(await signed());
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT', kid: '3' });
  });
});

describe(refusalOf.name, () => {
  const check = async (token: string, request: object) => refusalOf(await read(token), { ...here, ...request });

  it('keeps a token to its deployment and its environment', async () => {
    const token = await signed();
    expect(await check(token, { deploymentId: 13 })).toBe('other_deployment');
    expect(await check(token, { environmentId: 32 })).toBe('other_environment');
    expect(await check(token, { environmentId: 32, isProduction: true })).toBe('other_environment');
    expect(await check(token, {})).toBeUndefined();
  });

  it('keeps a token of the deployment to production, whichever branch that is', async () => {
    const token = await signed({ environment: 'production', purpose: 'deployment' });
    expect(await check(token, {})).toBe('other_environment');
    for (const environmentId of [31, 32]) {
      expect(await check(token, { environmentId, isProduction: true })).toBeUndefined();
    }
  });

  it.each([['meta'], ['meta', 'meta-private'], ['meta', 'sql-runner']])(
    'keeps the scope %s to metadata',
    async (...scopes) => {
      const token = await signed({}, scopes);
      expect(await check(token, { use: 'data' })).toBe('metadata_only');
      expect(await check(token, { use: 'metadata' })).toBeUndefined();
    },
  );

  it('lets a token without a scope read data and metadata', async () => {
    const token = await signed();
    expect([await check(token, { use: 'data' }), await check(token, { use: 'metadata' })]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
