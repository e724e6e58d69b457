import { atMost } from '@plinth/caches';
import { SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';

const LIFETIME_S = 60;
const REMEMBERED_MS = (LIFETIME_S * 1_000) / 2;
const MOST_REMEMBERED = 500;

/** Tokens of one minute by which an engine knows under whose context a request runs. */
export class EngineTokens {
  private readonly key: Uint8Array;
  private readonly tokens = new LRUCache<string, Promise<string>>({ ...atMost(MOST_REMEMBERED), ttl: REMEMBERED_MS });

  constructor(secret: string) {
    this.key = new TextEncoder().encode(secret);
  }

  for(context: Readonly<Record<string, unknown>>): Promise<string> {
    const id = JSON.stringify(context);
    const known = this.tokens.get(id);
    if (known) return known;
    const token = new SignJWT({ ...context })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuedAt()
      .setExpirationTime(`${LIFETIME_S}s`)
      .sign(this.key);
    this.tokens.set(id, token);
    return token;
  }
}
