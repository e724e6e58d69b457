/** Paths of the authorization server. Those under `device` and `oauth2` are fixed by the command-line client. */
export const paths = {
  deviceAuthorization: '/auth/device/code',
  deviceToken: '/auth/device/token',
  refresh: '/auth/oauth2/refresh',
  token: '/auth/token',
  introspection: '/auth/introspect',
  revocation: '/auth/revoke',
  userinfo: '/auth/userinfo',
  jwks: '/.well-known/jwks.json',
  discovery: '/.well-known/oauth-authorization-server',
  openidDiscovery: '/.well-known/openid-configuration',
  device: '/auth/device',
  authorization: '/auth/authorize',
  signIn: '/auth/sign-in',
  consent: '/auth/consent',
  signOut: '/auth/sign-out',
} as const;

export interface Endpoint {
  /** Name in logs and metrics, which never hold the path: a part of it can be a secret. */
  name: string;
  /** Whether people see its answers, rather than programs. */
  isPage: boolean;
  /** What follows the path that the endpoint is named by. */
  rest: string | undefined;
}

const pages: readonly string[] = [paths.device, paths.authorization, paths.signIn, paths.consent, paths.signOut];
const endpoints = new Map(Object.entries(paths).map(([name, path]) => [path as string, name]));

/** The endpoint behind a path; undefined for a path that the authorization server does not have. */
export function endpointOf(path: string): Endpoint | undefined {
  const name = endpoints.get(path);
  if (name !== undefined) return { name, isPage: pages.includes(path), rest: undefined };
  const [, parent = '', rest] = /^(.+)\/([\w-]+)$/.exec(path) ?? [];
  const parentName = pages.includes(parent) ? endpoints.get(parent) : undefined;
  return parentName === undefined ? undefined : { name: parentName, isPage: true, rest };
}
