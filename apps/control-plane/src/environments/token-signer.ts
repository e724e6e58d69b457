import { SignJWT } from 'jose';

/** A signed token with the times that are inside it. */
export interface SignedToken {
  token: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Claims that a caller's own context never sets: the signer decides on them. */
const reservedClaims: readonly string[] = ['iat', 'exp', 'nbf', 'scope'];

/** A context without the claims that only the signer sets. */
export const withoutReservedClaims = (context: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(context).filter(([claim]) => !reservedClaims.includes(claim)));

/**
 * Signs a token for a deployment's data API: HS256 with the deployment's own secret, the claims at the top level,
 * and `scope` when there is one (specification, "Authentication" 8).
 *
 * @param lifetimeSeconds from now until the token expires.
 */
export async function signToken(
  secret: string,
  claims: Readonly<Record<string, unknown>>,
  lifetimeSeconds: number,
  scopes: readonly string[] = [],
): Promise<SignedToken> {
  const issuedAt = Math.floor(Date.now() / 1_000);
  const expiresAt = issuedAt + lifetimeSeconds;
  const payload = { ...withoutReservedClaims(claims), ...(scopes.length > 0 && { scope: [...scopes] }) };
  const token = await new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(new TextEncoder().encode(secret));
  return { token, createdAt: new Date(issuedAt * 1_000), expiresAt: new Date(expiresAt * 1_000) };
}
