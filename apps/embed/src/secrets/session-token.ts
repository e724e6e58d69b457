import { createSecretKey } from 'node:crypto';
import type { Schemas } from '@plinth/contract';
import { errors, jwtVerify, SignJWT, type JWTVerifyGetKey } from 'jose';
import type { NumberedSecret } from './embed-secrets.repository';

/** What the token of a session says. */
export interface SessionClaims {
  sessionId: string;
  deploymentId: number;
  /** Signed, so that pages can rely on them without asking. */
  settings: Schemas['EmbedSessionSettings'];
  expiresAt: Date;
}

/** A token that one of the secrets has signed. */
export interface ReadToken {
  sessionId: string;
  expiresAt: Date;
  secretVersion: number;
}

const ISSUER = 'cubecloud';

/** Signs the token of a session (ruling: HS256, issuer `cubecloud`). The session's own id is not in it. */
export function signSessionToken({ version, secret }: NumberedSecret, claims: SessionClaims): Promise<string> {
  const { sessionId, deploymentId, settings, expiresAt } = claims;
  return new SignJWT({ deploymentId, settings: { ...settings } })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: String(version) })
    .setIssuer(ISSUER)
    .setJti(sessionId)
    .setIssuedAt()
    .setExpirationTime(Math.floor(expiresAt.getTime() / 1_000))
    .sign(keyOf(secret));
}

/** Undefined for a token that none of the secrets has signed, or that has expired. */
export async function readSessionToken(
  token: string,
  secrets: readonly NumberedSecret[],
): Promise<ReadToken | undefined> {
  const secretOf: JWTVerifyGetKey = ({ kid }) => {
    const found = secrets.find(({ version }) => String(version) === kid);
    if (!found) throw new errors.JWKSNoMatchingKey();
    return keyOf(found.secret);
  };
  try {
    const { payload, protectedHeader } = await jwtVerify(token, secretOf, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      requiredClaims: ['jti', 'exp'],
    });
    const { jti = '', exp = 0 } = payload;
    return { sessionId: jti, expiresAt: new Date(exp * 1_000), secretVersion: Number(protectedHeader.kid) };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

const keyOf = (secret: string) => createSecretKey(secret, 'utf8');
