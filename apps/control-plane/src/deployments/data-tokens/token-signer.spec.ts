import { jwtVerify } from 'jose';
import { signToken } from './token-signer';

const secret = 'a secret of a deployment, long enough';
const verified = async (token: string, key = secret) =>
  (await jwtVerify(token, new TextEncoder().encode(key), { algorithms: ['HS256'] })).payload;

describe(signToken.name, () => {
  it('cannot be verified with the secret of another deployment', async () => {
    const { token } = await signToken(secret, {}, 60);
    await expect(verified(token, 'the secret of another deployment')).rejects.toThrow('signature');
  });

  it('does not let the caller choose what the platform says of a token through the context', async () => {
    const times = { exp: 9_999_999_999, iat: 0, nbf: 0 };
    const forged = {
      ...times,
      iss: 'a',
      sub: 'user:1',
      aud: 'b',
      jti: 'c',
      scope: ['admin'],
      plinth: { deployment: 2 },
    };
    const { token } = await signToken(secret, { ...forged, team: 'finance' }, 60);
    const payload = await verified(token);
    expect(payload).toEqual({ team: 'finance', iat: expect.any(Number), exp: (payload.iat ?? 0) + 60 });
  });

  it('carries the scopes that were granted and tells the times that it holds', async () => {
    const { token, createdAt, expiresAt } = await signToken(secret, {}, 3_600, { scope: ['meta'] });
    const payload = await verified(token);
    expect(payload['scope']).toEqual(['meta']);
    expect([createdAt.getTime() / 1_000, expiresAt.getTime() / 1_000]).toEqual([payload.iat, payload.exp]);
  });
});
