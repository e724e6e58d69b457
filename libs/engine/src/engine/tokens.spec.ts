import { SignJWT, UnsecuredJWT } from 'jose';
import { type Asking, tokenCheck } from './tokens';

const SECRET = 'the secret of this engine, and of no other one';
const keyOf = (secret: string) => new TextEncoder().encode(secret);
const now = () => Math.floor(Date.now() / 1_000);
const claims = () => ({ sub: 'ann', iat: now(), exp: now() + 60 });
const signed = (payload: object, secret = SECRET, alg = 'HS256') =>
  new SignJWT({ ...payload }).setProtectedHeader({ alg }).sign(keyOf(secret));
/** The token with other claims, under the signature that it had. */
const changed = (token: string) => token.replace(/\.[^.]+\./, `.${btoa(JSON.stringify({ ...claims(), sub: 'bob' }))}.`);
/** As who the token lets somebody ask. */
const openedBy = async (token?: string): Promise<unknown> => {
  const request: Asking = {};
  await tokenCheck(SECRET)(request, token);
  return request.securityContext;
};

describe('the token of a request', () => {
  it.each<[string, () => Promise<string | undefined> | string | undefined]>([
    ['there is none', () => undefined],
    ['it is empty', () => ''],
    ['it is no token', () => 'x'],
    ['it is not signed', () => new UnsecuredJWT({ sub: 'ann' }).setIssuedAt().setExpirationTime('1m').encode()],
    ['another engine has signed it', () => signed(claims(), 'the secret of another engine, of the same tenant')],
    ['it is signed in another way', () => signed(claims(), SECRET, 'HS512')],
    ['what it says was changed', async () => changed(await signed(claims()))],
    ['it has run out', () => signed({ ...claims(), exp: now() - 1 })],
    ['it never runs out', () => signed({ iat: now() })],
    ['it does not say when it was made', () => signed({ exp: now() + 60 })],
    ['it was made long ago, for long', () => signed({ iat: now() - 300, exp: now() + 3_600 })],
  ])('opens nothing when %s', async (_, token) => {
    await expect(openedBy(await token())).rejects.toMatchObject({ status: 403 });
  });

  it('tells as whom the request is answered, and not when it was made', async () => {
    expect(await openedBy(await signed(claims()))).toEqual({ sub: 'ann' });
  });
});
