import type { ClientMetadata } from 'oidc-provider';

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** A program that may ask for tokens, as an operator writes it down. Without a secret it is a public client. */
export interface OAuthClient {
  client_id: string;
  client_name?: string | undefined;
  client_secret?: string | undefined;
  redirect_uris: readonly string[];
  post_logout_redirect_uris?: readonly string[] | undefined;
}

/** What the command-line client gets when it does not say what it wants. */
export const COMMAND_LINE_SCOPE = 'api offline_access';

/** The command-line client cannot keep a secret; any port of the loopback interface is its own (RFC 8252, 7.3). */
const commandLine: ClientMetadata = {
  client_id: 'cube-cli',
  client_name: 'Command-line client',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: [DEVICE_GRANT, 'refresh_token', 'authorization_code'],
  response_types: ['code'],
  redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
};

/** What all clients of the MCP server have in common. They get no other access than to that. */
export const mcpClient = {
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  scope: 'openid offline_access',
} satisfies Partial<ClientMetadata> as Partial<ClientMetadata>;

/** For people who enter a client id by hand; any port of the loopback interface is its own (RFC 8252, 7.3). */
const ownMcpClient: ClientMetadata = {
  ...mcpClient,
  client_id: 'cube-mcp-client',
  client_name: 'MCP client',
  redirect_uris: ['127.0.0.1', '[::1]', 'localhost'].flatMap((host) =>
    ['/', '/callback', '/oauth/callback'].map((path) => `http://${host}${path}`),
  ),
};

export const clientsOf = (registered: readonly OAuthClient[]): ClientMetadata[] => [
  commandLine,
  ownMcpClient,
  ...registered.map(({ client_secret, redirect_uris, post_logout_redirect_uris, ...client }) => ({
    ...(client as { client_id: string }),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
    redirect_uris: [...redirect_uris],
    ...(post_logout_redirect_uris && { post_logout_redirect_uris: [...post_logout_redirect_uris] }),
    ...(client_secret === undefined ? { token_endpoint_auth_method: 'none' as const } : { client_secret }),
  })),
];
