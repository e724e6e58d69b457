import { jwtVerify } from 'jose';
import { CubejsHandlerError } from '@cubejs-backend/api-gateway';

export interface Asking {
  securityContext?: unknown;
}

/** A minute, and what clocks may differ by. */
const MAX_AGE = '70s';
const TIMES = ['iat', 'exp'];

/** Who asks, by the token that the runtime has made for this one request. */
export function tokenCheck(secret: string): (request: Asking, token?: string) => Promise<void> {
  const key = new TextEncoder().encode(secret);
  return async (request, token) => {
    if (!token) throw forbidden("Authorization header isn't set");
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        requiredClaims: ['exp', 'iat'],
        maxTokenAge: MAX_AGE,
      });
      request.securityContext = withoutTimes(payload);
    } catch {
      throw forbidden('Invalid token');
    }
  };
}

/** Times of tokens differ between requests of the same user, and are nothing that a model is to see. */
export const withoutTimes = (claims: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !TIMES.includes(name)));

const forbidden = (message: string) => new CubejsHandlerError(403, 'Forbidden', message);
