/** Scope of tokens for the MCP server, which open nothing else. */
export const MCP_SCOPE = 'mcp-agent-access';

const MCP_PATH = '/api/mcp';

/** Where the MCP server is described as a protected resource: below the well-known path, its own one (RFC 9728, 3.1). */
export const MCP_METADATA_PATH = `/.well-known/oauth-protected-resource${MCP_PATH}`;

/** What tokens for the MCP server are issued for (RFC 8707). */
export const mcpResourceOf = (origin: string): string => `${origin}${MCP_PATH}`;
