import { MCP_METADATA_PATH } from '../dialects/mcp-access';

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
  registration: '/auth/register',
  protectedResource: '/.well-known/oauth-protected-resource',
  mcpResource: MCP_METADATA_PATH,
  device: '/auth/device',
  authorization: '/auth/authorize',
  signIn: '/auth/sign-in',
  consent: '/auth/consent',
  signOut: '/auth/sign-out',
} as const;

type EndpointName = keyof typeof paths;

export interface Endpoint {
  /** Name in logs and metrics, which never hold the path: a part of it can be a secret. */
  name: EndpointName;
  /** Whether people see its answers, rather than programs. */
  isPage: boolean;
  /** What follows the path that the endpoint is named by. */
  rest: string | undefined;
  /** HEAD goes with GET. Empty where nothing is, below pages that have steps. */
  methods: readonly string[];
}

const forPrograms = ['POST', 'OPTIONS'];
const documents = ['GET', 'OPTIONS'];

const methods: Readonly<Record<EndpointName, readonly string[]>> = {
  deviceAuthorization: forPrograms,
  deviceToken: forPrograms,
  refresh: forPrograms,
  token: forPrograms,
  introspection: forPrograms,
  revocation: forPrograms,
  userinfo: ['GET', ...forPrograms],
  jwks: documents,
  discovery: documents,
  openidDiscovery: documents,
  registration: forPrograms,
  protectedResource: ['GET'],
  mcpResource: ['GET'],
  device: ['GET', 'POST'],
  authorization: ['GET'],
  signIn: [],
  consent: [],
  signOut: ['GET'],
};

/** Pages have steps below them: one for each flow, or those of a name. */
const methodsBelow: Readonly<Partial<Record<EndpointName, (rest: string) => readonly string[]>>> = {
  device: () => ['GET'],
  authorization: () => ['GET'],
  signIn: () => ['GET', 'POST'],
  consent: () => ['GET', 'POST'],
  signOut: (rest) => (rest === 'confirm' ? ['POST'] : rest === 'success' ? ['GET'] : []),
};

const takers: readonly EndpointName[] = [
  'deviceAuthorization',
  'deviceToken',
  'refresh',
  'token',
  'introspection',
  'revocation',
  'userinfo',
];

/** Whether programs show something there that can be guessed: their own secret, a code or a token. */
export const takesCredentials = ({ name }: Endpoint): boolean => takers.includes(name);

const endpoints = new Map(Object.entries(paths).map(([name, path]) => [path as string, name as EndpointName]));

/** The endpoint behind a path; undefined for a path that the authorization server does not have. */
export function endpointOf(path: string): Endpoint | undefined {
  const name = endpoints.get(path);
  if (name !== undefined) return { name, isPage: name in methodsBelow, rest: undefined, methods: methods[name] };
  const [, parent = '', rest = ''] = /^(.+)\/([\w-]+)$/.exec(path) ?? [];
  const parentName = endpoints.get(parent);
  const below = parentName && methodsBelow[parentName];
  return parentName && below && { name: parentName, isPage: true, rest, methods: below(rest) };
}
