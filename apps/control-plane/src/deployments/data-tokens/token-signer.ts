import { SignJWT } from 'jose';

/** A signed token with the times that are inside it. */
export interface SignedToken {
  token: string;
  createdAt: Date;
  expiresAt: Date;
}

/** What the platform says in a token besides its times. */
export interface PlatformClaims {
  sub?: string;
  aud?: string;
  jti?: string;
  scope?: readonly string[];
  plinth?: Readonly<Record<string, unknown>>;
}

/** Claims that a caller's own context never sets: the signer decides on them. */
const reservedClaims: readonly string[] = ['iss', 'sub', 'aud', 'jti', 'iat', 'exp', 'nbf', 'scope', 'plinth'];

/** A context without the claims that only the signer sets. */
export const withoutReservedClaims = (context: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(context).filter(([claim]) => !reservedClaims.includes(claim)));

/**
 * Signs a token for a data API: HS256, the context at the top level beside the platform's claims (specification,
 * "Authentication" 8).
 *
 * @param lifetimeSeconds from now until the token expires.
 * @param keyId names the secret to whoever has several.
 */
export async function signToken(
  secret: string,
  context: Readonly<Record<string, unknown>>,
  lifetimeSeconds: number,
  claims: PlatformClaims = {},
  keyId?: string,
): Promise<SignedToken> {
  const issuedAt = Math.floor(Date.now() / 1_000);
  const expiresAt = issuedAt + lifetimeSeconds;
  const token = await new SignJWT({ ...withoutReservedClaims(context), ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(new TextEncoder().encode(secret));
  return { token, createdAt: new Date(issuedAt * 1_000), expiresAt: new Date(expiresAt * 1_000) };
}
