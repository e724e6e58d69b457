import { hash } from 'node:crypto';

/** Cookies of frames that a browser keeps for one host page; of more, the oldest go. */
const MOST_COOKIES = 8;
const NAME = /^plinth_embed_([\w-]{12})$/;
/** As long as tokens live, in seconds. */
const LIFETIME_S = 86_400;

/** Names the frame that a session was made for. It is no secret: the session does not follow from it. */
export const frameOf = (sessionId: string): string => hash('sha256', sessionId, 'base64url').slice(0, 12);

/** Tokens by the frames that they were given to, as the browser has sent them. */
export function frameTokens(header: string | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of (header ?? '').split(';')) {
    const [name = '', value = ''] = part.trim().split('=', 2);
    const frame = NAME.exec(name)?.[1];
    if (frame !== undefined && value !== '') found.set(frame, value);
  }
  return found;
}

/**
 * Headers that give a token to a frame. The cookie is kept apart for each site that frames us (`Partitioned`), no script
 * reads it, and it goes with pages for frames alone.
 */
export function cookiesFor(frame: string, token: string, known: ReadonlyMap<string, string>): string[] {
  const others = [...known.keys()].filter((each) => each !== frame);
  const oldest = others.slice(0, Math.max(0, others.length - MOST_COOKIES + 1));
  return [cookie(frame, token, LIFETIME_S), ...oldest.map((each) => cookie(each, '', 0))];
}

const cookie = (frame: string, value: string, seconds: number): string =>
  `plinth_embed_${frame}=${value}; Path=/embed; Max-Age=${seconds}; HttpOnly; Secure; SameSite=None; Partitioned`;
