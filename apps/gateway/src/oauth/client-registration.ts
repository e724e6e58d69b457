import { AppError } from '@plinth/errors';
import type { Request } from 'express';
import type { ClientMetadata } from 'oidc-provider';
import { collectBody } from '../http/collect-body';
import { parseJson } from '../http/request-body';
import { mcpClient } from './clients';

const PREFIX = 'dyn.';
const BODY_LIMIT_BYTES = 16_384;
const MOST_URIS = 20;
const LONGEST_NAME = 100;
const LONGEST_ID = 4_000;

/**
 * What a client says of itself (RFC 7591), as far as it counts here: its name and where it is answered. All else is as for
 * every client of the MCP server.
 *
 * @throws AppError `request.invalid` (400), and as `collectBody` and `parseJson` do.
 */
export async function registrationIn(request: Request): Promise<Buffer> {
  const body = await collectBody(request, BODY_LIMIT_BYTES);
  const asked = (parseJson(body, request.headers['content-type']) ?? {}) as Partial<ClientMetadata>;
  const { client_name: name, redirect_uris: uris } = asked;
  if (!areAddresses(uris)) {
    throw new AppError(
      'request.invalid',
      `redirect_uris must be a list of 1 to ${MOST_URIS} addresses without user names`,
    );
  }
  const client = registered(isText(name) ? name.slice(0, LONGEST_NAME) : 'MCP client', uris);
  if (clientIdOf(client).length > LONGEST_ID) throw new AppError('request.invalid', 'redirect_uris are too long');
  return Buffer.from(JSON.stringify(client));
}

/**
 * A client's id is all that it has said, so that nothing is kept: registration is open to everybody, and who registers
 * again gets the same id.
 */
export const clientIdOf = ({ client_name, redirect_uris = [] }: Partial<ClientMetadata>): string =>
  PREFIX + Buffer.from(JSON.stringify([client_name, ...redirect_uris])).toString('base64url');

/** The client of the id; undefined for one that registration would not have given: nobody has to register to write one down. */
export function clientOf(id: string): ClientMetadata | undefined {
  if (!id.startsWith(PREFIX) || id.length > LONGEST_ID) return undefined;
  try {
    const said: unknown = JSON.parse(Buffer.from(id.slice(PREFIX.length), 'base64url').toString());
    if (!Array.isArray(said)) return undefined;
    const [name, ...uris] = said as unknown[];
    if (!isText(name) || name.length > LONGEST_NAME || !areAddresses(uris)) return undefined;
    return { ...registered(name, uris), client_id: id };
  } catch {
    return undefined;
  }
}

const registered = (client_name: string, redirect_uris: string[]): Omit<ClientMetadata, 'client_id'> => ({
  ...mcpClient,
  client_name,
  redirect_uris,
});

/** What an address may be besides, the server knows. */
const areAddresses = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.length <= MOST_URIS && value.every(isAddress);

const isAddress = (value: unknown): boolean => {
  if (!isText(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
