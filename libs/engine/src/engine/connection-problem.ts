import type { ProbeCause } from '../protocol';

interface Problem {
  cause: ProbeCause;
  message: string;
}

const sentences: Readonly<Record<Exclude<ProbeCause, 'driver' | 'not_configured' | 'other'>, string>> = {
  unknown_host: 'The name of the host has no address',
  address_refused: 'The host is in a network that must not be used',
  refused: 'Nobody listens at the port of the host',
  timeout: 'The host did not answer in time',
  tls: 'There is no agreement on TLS',
  credentials: 'The user name or the password is wrong',
  database: 'The database does not exist',
};

/** Codes of the system, of Node, of PostgreSQL and of MySQL. */
const codes: Readonly<Record<string, ProbeCause>> = {
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  EAI_NODATA: 'unknown_host',
  'address-refused': 'address_refused',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'timeout',
  ENETUNREACH: 'timeout',
  '28P01': 'credentials',
  '28000': 'credentials',
  '3D000': 'database',
  ER_ACCESS_DENIED_ERROR: 'credentials',
  ER_BAD_DB_ERROR: 'database',
};
const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/;

/** What drivers say that give no code. The first that fits counts. */
const phrases: readonly (readonly [RegExp, ProbeCause])[] = [
  [/\bssl\b|\btls\b|certificate|no encryption/i, 'tls'],
  [/password|authentication failed|access denied|login failed|unauthorized/i, 'credentials'],
  [/unknown database|database .*(?:not exist|not found)/i, 'database'],
  [/timed? ?out/i, 'timeout'],
];

/** Why there is no connection. The message of a known cause is ours; that of another one is the driver's own. */
export function connectionProblem(error: unknown): Problem {
  const errors = chainOf(error);
  const texts = errors.map(({ message }) => message);
  // PostgreSQL has one code for a refused user and for a connection that it wants encrypted.
  const cause = errors.some(({ message }) => /no encryption|pg_hba/.test(message))
    ? 'tls'
    : (errors.map(({ code }) => causeOf(code)).find(Boolean) ?? causeIn(texts));
  if (cause && cause in sentences) return { cause, message: sentences[cause as keyof typeof sentences] };
  return { cause: 'other', message: (texts[0] ?? 'The driver gave no reason').split('\n')[0] ?? '' };
}

const causeOf = (code: string): ProbeCause | undefined => codes[code] ?? (TLS_CODE.test(code) ? 'tls' : undefined);
const causeIn = (texts: readonly string[]): ProbeCause | undefined =>
  phrases.find(([pattern]) => texts.some((text) => pattern.test(text)))?.[1];

interface Link {
  code: string;
  message: string;
}

/** The error, what it was caused by, and what it stands for: a few at most. */
function chainOf(error: unknown, depth = 4): Link[] {
  if (typeof error !== 'object' || error === null) return [{ code: '', message: String(error) }];
  const { code, failure, message, cause, errors } = error as Record<string, unknown>;
  const link = { code: String(code ?? failure ?? ''), message: String(message ?? '') };
  const below = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])].filter((each) => each !== undefined);
  return depth === 0 ? [link] : [link, ...below.flatMap((each) => chainOf(each, depth - 1))];
}
