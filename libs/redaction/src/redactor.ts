import { HIDDEN, withoutCredentials } from './hidden-credentials';

export interface KnownSecrets {
  /** Environment variables: those are secret whose names tell so, and of addresses among them the passwords besides. */
  variables?: Readonly<Record<string, string>>;
  secrets?: readonly string[];
}

/** Longest text, in characters. */
const LIMIT = 8_192;
/** Shorter values stand in any text, and so do these words. */
const SHORTEST_SECRET = 4;
const WORD = /^(?:true|false|null|none)$/i;
const TELLING_NAME = /PASS|SECRET|TOKEN|KEY|CREDENTIAL|URL/i;
/** The name of a data source is its author's, and tells nothing about what its variables hold. */
const DATA_SOURCE = /^CUBEJS_DS_.*?_DB_/i;
const PASSWORD_IN_URL = /^[a-z][\w+.-]*:\/\/[^/?#]*?:([^@/?#]+)@/i;
const AUTHORIZATION = /(authorization["']?\s*[:=]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',}]+/gi;

/**
 * Takes secrets out of text that others read: those it has been told, as they are, inside JSON and inside addresses, and
 * what looks like tokens, keys, passwords in addresses and `Authorization` headers.
 */
export class Redactor {
  private readonly secrets: readonly string[];

  constructor({ variables = {}, secrets = [] }: KnownSecrets = {}) {
    const telling = Object.entries(variables).flatMap(([name, value]) =>
      TELLING_NAME.test(name.replace(DATA_SOURCE, '')) ? withPassword(value) : [],
    );
    const known = [...telling, ...secrets].filter((value) => value.length >= SHORTEST_SECRET && !WORD.test(value));
    // A secret that another one holds would leave the rest of that standing.
    this.secrets = [...new Set(known.flatMap(spellingsOf))].sort((left, right) => right.length - left.length);
  }

  /** The text, cut to 8,192 characters only when nothing is left in it of which a part would not be recognised. */
  clean(text: string): string {
    const plain = this.secrets.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
    return withoutCredentials(plain, LIMIT).replace(AUTHORIZATION, `$1${HIDDEN}`).slice(0, LIMIT);
  }
}

function withPassword(value: string): string[] {
  const password = PASSWORD_IN_URL.exec(value)?.[1];
  return password === undefined ? [value] : [value, password, decoded(password)];
}

function spellingsOf(value: string): string[] {
  // Addresses have no halves of characters.
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(Buffer.from(value).toString('utf8'))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
