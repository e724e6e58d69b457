import type { AppError } from '@plinth/errors';
import { requireOwnSite } from '../tenants/own-site';
import type { OperationDialect } from './dialect';
import { MCP_METADATA_PATH, MCP_SCOPE } from './mcp-access';
import { platformDialect } from './platform.dialect';

/** Of the Model Context Protocol, whose messages are the bodies. Who has no token is told where there is one. */
export const mcpDialect: OperationDialect = {
  ...platformDialect,
  requireSite: (request) => requireOwnSite(request, 'Browsers may not call the MCP server from another site'),
  replyHead: (operation, path, body) =>
    body === undefined ? { status: 202, headers: {} } : platformDialect.replyHead(operation, path, body),
  challenge: (error, origin) => {
    const problem = problemOf(error);
    if (problem === undefined) return undefined;
    return `Bearer realm="plinth"${problem}, scope="${MCP_SCOPE}", resource_metadata="${origin}${MCP_METADATA_PATH}"`;
  },
};

/** RFC 6750, 3.1. */
function problemOf({ status, code }: AppError): string | undefined {
  if (code === 'access.credential_not_accepted') return ', error="insufficient_scope"';
  if (status !== 401) return undefined;
  return code === 'auth.credential_missing' ? '' : ', error="invalid_token"';
}
