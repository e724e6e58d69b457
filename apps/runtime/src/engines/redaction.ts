import { HIDDEN, withoutCredentials } from '@plinth/observability';

/** Longest line of a log, in characters. */
const LINE_LIMIT = 8_192;
/** Shorter values stand in any text. */
const SHORTEST_SECRET = 6;
const TELLING_NAME = /PASS|SECRET|TOKEN|KEY|CREDENTIAL/i;
const AUTHORIZATION = /(authorization["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',}]+/gi;

/**
 * What makes a line of an engine fit for a log: cut to length, without values of variables whose names tell that they are
 * secret, tokens, keys, passwords in addresses and `Authorization` headers.
 */
export function redactorOf(variables: Readonly<Record<string, string>>): (line: string) => string {
  const secrets = Object.entries(variables)
    .filter(([name, value]) => TELLING_NAME.test(name) && value.length >= SHORTEST_SECRET)
    .flatMap(([, value]) => spellingsOf(value))
    // A secret that another one begins with would leave the rest of that standing.
    .sort((left, right) => right.length - left.length);
  return (line) => {
    // Before anything is cut: a part of a secret is not recognised any more.
    const plain = secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line);
    return withoutCredentials(plain, LINE_LIMIT).replace(AUTHORIZATION, `$1${HIDDEN}`).replaceAll('\0', '');
  };
}

/** As it is, inside JSON, and inside an address. */
function spellingsOf(value: string): string[] {
  return [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])];
}
