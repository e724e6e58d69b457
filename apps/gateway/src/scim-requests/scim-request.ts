import { randomUUID } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { scimTypeOf } from '../dialects/scim.dialect';
import type { Exchange } from '../exchange/exchange';

export type ScimRequestEntry = Schemas['ScimRequest'];

const LONGEST_TEXT = 500;
const LONGEST_NAME = 64;
const MOST_PARAMETERS = 8;
const HIDDEN = '[HIDDEN]';

/** Parameters of the protocol: what they say belongs to the request. Anything else could be a credential gone astray. */
const scimParameters = new Set([
  'filter',
  'startindex',
  'count',
  'attributes',
  'excludedattributes',
  'sortby',
  'sortorder',
]);

/** What is kept of a request that has been answered: nothing of its body, and no credential. */
export function describeScimRequest(exchange: Exchange): ScimRequestEntry {
  const { request, response, context, startedAt, principal, error } = exchange;
  const durationMs = Math.round(performance.now() - startedAt);
  return {
    id: randomUUID(),
    time: new Date(Date.now() - durationMs).toISOString(),
    requestId: context.requestId,
    caller: callerOf(principal),
    method: request.method,
    path: storable(request.path, LONGEST_TEXT),
    query: describeQuery(request.query),
    status: response.statusCode,
    scimType: (error && scimTypeOf(error)) ?? null,
    code: error?.code ?? null,
    durationMs,
  };
}

function callerOf(principal: Principal | undefined): ScimRequestEntry['caller'] {
  if (!principal) return null;
  const { kind, credentialId, userId, userName } = principal;
  if (kind === 'anonymous' || kind === 'system' || kind === 'deployment-token') return null;
  const isNumbered = kind === 'scim-token' || kind === 'api-key';
  const id = isNumbered ? Number(credentialId.slice(kind.length + 1)) : null;
  return { kind, id, userId, name: storable(userName, LONGEST_TEXT) };
}

/** The parameters of a query, their number and size bounded, without what may be a secret. */
export function describeQuery(query: Readonly<Record<string, unknown>>): Record<string, string> {
  const parameters = Object.entries(query).slice(0, MOST_PARAMETERS);
  return Object.fromEntries(
    parameters.map(([name, value]) => {
      const text = String(value);
      const isShown = scimParameters.has(name.toLowerCase()) && !/password/i.test(text);
      return [storable(name, LONGEST_NAME), isShown ? storable(text, LONGEST_TEXT) : HIDDEN];
    }),
  );
}

/** The beginning of the text, in characters that PostgreSQL takes; a cut may leave half of one. */
const storable = (text: string, length: number): string =>
  Buffer.from(text.slice(0, length)).toString().replaceAll('\0', '\uFFFD');
