import { deploymentIdOf, type OperationDescription } from '@plinth/contract';
import type { AuditedAction } from '@plinth/observability';
import { HIDDEN, withoutCredentials } from '@plinth/redaction';

const TELLING_NAME = /pass|secret|token|key|credential/i;
/** `apiKeyId: 7` names a key, it does not hold one; a text under such a name may still be a part of a credential. */
const IDENTIFIER_NAME = /ids?$/i;
/** An attribute that is longer as JSON is cut, so that no request can fill the log. */
const LONGEST_ATTRIBUTE = 16_384;
/** Null characters and unpaired surrogates, which PostgreSQL keeps in no JSON. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

interface AuditableCall {
  path: unknown;
  query: unknown;
  body?: unknown;
}

/** What the operation's `x-audit` wants recorded of a call; undefined for operations that are not audited. */
export function auditedAction(operation: OperationDescription, call: AuditableCall): AuditedAction | undefined {
  const { audit } = operation;
  if (!audit) return undefined;
  const attributes: Record<string, unknown> = {};
  for (const field of audit.fields) {
    const value = lookUp(call, field.split('.'));
    if (value !== undefined) attributes[field] = shortened(value);
  }
  return {
    event: audit.event,
    attributes,
    deploymentId: deploymentIdOf(operation, call.path) ?? null,
    ...(audit.target !== undefined && { target: audit.target }),
  };
}

const propertyOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);

function lookUp({ body, query, path }: AuditableCall, segments: readonly string[]): unknown {
  for (const place of [body, query, path]) {
    const value = follow(place, segments);
    if (value !== undefined) return segments.reduceRight(concealed, value);
  }
  return undefined;
}

/** The value at the end of the segments, which lead through objects and into every item of an array. */
function follow(value: unknown, segments: readonly string[]): unknown {
  const [name, ...rest] = segments;
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => follow(item, segments)).filter((item) => item !== undefined);
  return follow(propertyOf(value, name), rest);
}

/** The value without secrets: what a telling name holds, and the `value` of an entry with a telling `name`. */
function concealed(value: unknown, name: string): unknown {
  if (TELLING_NAME.test(name) && value !== null && !isIdentifier(value, name)) return HIDDEN;
  return withoutSecrets(value, name);
}

function withoutSecrets(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, name));
  if (!isRecord(value))
    return typeof value === 'string' ? storable(withoutCredentials(value, LONGEST_ATTRIBUTE)) : value;
  const entryName = typeof value['name'] === 'string' ? value['name'] : '';
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storable(key), concealed(item, key === 'value' ? entryName : key)]),
  );
}

function isIdentifier(value: unknown, name: string): boolean {
  const isNumber = (item: unknown): boolean => Number.isSafeInteger(item);
  return IDENTIFIER_NAME.test(name) && (Array.isArray(value) ? value.every(isNumber) : isNumber(value));
}

function shortened(value: unknown): unknown {
  const json = JSON.stringify(value);
  return json.length > LONGEST_ATTRIBUTE ? storable(`${json.slice(0, LONGEST_ATTRIBUTE)}…`) : value;
}

const storable = (text: string): string => text.replace(UNSTORABLE, '\uFFFD');

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
