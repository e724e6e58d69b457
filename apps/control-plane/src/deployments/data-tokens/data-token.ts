import { randomUUID } from 'node:crypto';
import type { Schemas } from '@plinth/contract';
import { decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { signToken, withoutReservedClaims, type SignedToken } from './token-signer';
import type { NumberedSecret } from '../secrets/deployment-secrets.repository';

export type DataTokenRefusal = NonNullable<Schemas['VerifyDataTokenReply']['refusal']>;

/** What a token is for, and who asked for it. */
export interface DataTokenFacts {
  userId: number;
  /** How often all tokens of the user had been ended when this one was made. */
  generation: number;
  deploymentId: number;
  /** Id of the environment; `production` for whichever is that at the time. */
  environment: number | 'production';
  purpose: Schemas['DataAccess']['purpose'];
}

/** What a token lets its holder see. */
export interface TokenGrant {
  securityContext: Record<string, unknown>;
  /** None for everything that the context lets through. */
  scopes: string[];
}

/** A token whose signature and times are in order. */
export interface DataToken extends TokenGrant, DataTokenFacts {
  tokenId: string;
  expiresAt: Date;
  /** Version of the secret that signed it. */
  secretVersion: number;
}

/** What a request to a data API is after. */
export type DataTokenUse = Pick<
  Schemas['VerifyDataTokenRequest'],
  'deploymentId' | 'environmentId' | 'isProduction' | 'use'
>;

const AUDIENCE = 'data-api';
const REQUIRED = ['sub', 'jti', 'iat', 'exp', 'plinth'];
/** Its holder sees metadata alone, whatever other scopes there are. */
export const METADATA_SCOPE = 'meta';

/** Signs a token for the data API of a deployment, with an id of its own. */
export function signDataToken(
  { version, secret }: NumberedSecret,
  { userId, generation, deploymentId, environment, purpose }: DataTokenFacts,
  { securityContext, scopes }: TokenGrant,
  lifetimeSeconds: number,
): Promise<SignedToken> {
  const claims = {
    sub: `user:${userId}`,
    aud: AUDIENCE,
    jti: randomUUID(),
    ...(scopes.length > 0 && { scope: scopes }),
    plinth: { deployment: deploymentId, environment: String(environment), purpose, generation },
  };
  return signToken(secret, securityContext, lifetimeSeconds, claims, String(version));
}

/** Reads a token that one of the secrets has signed. */
export async function readDataToken(
  token: string,
  secrets: readonly NumberedSecret[],
): Promise<DataToken | Extract<DataTokenRefusal, 'invalid' | 'expired'>> {
  const secretOf: JWTVerifyGetKey = ({ kid }) => {
    const found = secrets.find(({ version }) => String(version) === kid);
    if (!found) throw new errors.JWKSNoMatchingKey();
    return new TextEncoder().encode(found.secret);
  };
  try {
    const { payload, protectedHeader } = await jwtVerify(token, secretOf, {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      requiredClaims: REQUIRED,
    });
    return dataTokenOf(payload, Number(protectedHeader.kid));
  } catch (error) {
    if (error instanceof errors.JWTExpired) return 'expired';
    if (error instanceof errors.JOSEError) return 'invalid';
    throw error;
  }
}

/** The deployment that a token says it is for; nobody vouches for that yet. */
export function deploymentNamedIn(token: string): number | undefined {
  try {
    const { plinth } = decodeJwt<{ plinth?: Partial<SignedFacts> | null }>(token);
    return Number.isSafeInteger(plinth?.deployment) ? plinth?.deployment : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** Why the token does not serve the request; undefined when it does. */
export function refusalOf(token: DataToken, request: DataTokenUse): DataTokenRefusal | undefined {
  if (token.deploymentId !== request.deploymentId) return 'other_deployment';
  const { environment } = token;
  const isHere = environment === 'production' ? request.isProduction : environment === request.environmentId;
  if (!isHere) return 'other_environment';
  return request.use === 'data' && token.scopes.includes(METADATA_SCOPE) ? 'metadata_only' : undefined;
}

/** What {@link signDataToken} put into it; the signature vouches for the form. */
function dataTokenOf(payload: JWTPayload, secretVersion: number): DataToken {
  const { sub = '', jti = '', exp = 0, scope = [], plinth } = payload;
  const { deployment, environment, purpose, generation } = plinth as SignedFacts;
  return {
    tokenId: jti,
    userId: Number(sub.replace('user:', '')),
    generation,
    deploymentId: deployment,
    environment: environment === 'production' ? environment : Number(environment),
    purpose,
    scopes: scope as string[],
    securityContext: withoutReservedClaims(payload),
    expiresAt: new Date(exp * 1_000),
    secretVersion,
  };
}

interface SignedFacts extends Pick<DataTokenFacts, 'purpose' | 'generation'> {
  deployment: number;
  environment: string;
}
