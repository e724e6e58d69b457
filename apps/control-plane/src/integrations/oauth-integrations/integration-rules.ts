import { isIP } from 'node:net';
import { isAllowedAddress, type AddressPolicy } from '@plinth/egress';
import { invalidRequest } from '@plinth/errors';
import type { OAuthIntegration } from './oauth-integration.entity';

type Endpoints = Pick<OAuthIntegration, 'authUrl' | 'tokenUrl' | 'redirectUri' | 'config'>;

/** What the platform decides on by itself in an authorization request. */
const RESERVED_PARAMETERS: readonly string[] = [
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
];

/**
 * Refuses endpoints that browsers or the platform must not be sent to. Names are checked again when they are resolved.
 *
 * @throws AppError `request.invalid` (400).
 */
export function checkEndpoints({ authUrl, tokenUrl, redirectUri, config }: Endpoints, policy: AddressPolicy): void {
  requireSecure('/body/authUrl', authUrl, policy);
  requireSecure('/body/redirectUri', redirectUri, policy);
  requireReachable('/body/tokenUrl', requireSecure('/body/tokenUrl', tokenUrl, policy), policy);
  const { revocationUrl, authorizationParameters = {} } = config ?? {};
  if (revocationUrl !== undefined) {
    const { origin } = requireSecure('/body/config/revocationUrl', revocationUrl, policy);
    // The client secret goes there as well; it is good for the host that it was given for.
    if (origin !== new URL(tokenUrl).origin) {
      throw invalidRequest('/body/config/revocationUrl', 'must be on the host of tokenUrl');
    }
  }
  const reserved = Object.keys(authorizationParameters).find((name) => RESERVED_PARAMETERS.includes(name));
  if (reserved !== undefined) {
    throw invalidRequest(`/body/config/authorizationParameters/${reserved}`, 'is set by the platform');
  }
}

function requireSecure(path: string, text: string, { allowInsecure }: AddressPolicy): URL {
  if (!URL.canParse(text)) throw invalidRequest(path, 'must be a URL');
  const url = new URL(text);
  const isWeb = url.protocol === 'https:' || (allowInsecure && url.protocol === 'http:');
  if (!isWeb) throw invalidRequest(path, 'must begin with https://');
  if (url.username !== '' || url.password !== '') throw invalidRequest(path, 'must not hold a user or a password');
  if (text.includes('#')) throw invalidRequest(path, 'must not have a fragment');
  return url;
}

function requireReachable(path: string, { hostname }: URL, policy: AddressPolicy): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowedAddress(host, policy)) {
    throw invalidRequest(path, 'is in a network that must not be used');
  }
}
