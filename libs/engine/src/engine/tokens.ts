import { jwtVerify } from 'jose';
import { CubejsHandlerError } from '@cubejs-backend/api-gateway';

export interface Asking {
  securityContext?: unknown;
}

/** A minute, and what clocks may differ by. */
const MAX_AGE = '70s';

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
      // Times differ between requests of the same user, and are nothing that a model is to see.
      const { exp: _, iat: __, ...securityContext } = payload;
      request.securityContext = securityContext;
    } catch {
      throw forbidden('Invalid token');
    }
  };
}

const forbidden = (message: string) => new CubejsHandlerError(403, 'Forbidden', message);
