import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { MCP_SCOPE, mcpResourceOf } from '../dialects/mcp-access';
import { paths } from './endpoints';

const documents: readonly string[] = [paths.mcpResource, paths.protectedResource];

/** Describes the MCP server as a protected resource. Clients that know no path of it ask at the root. */
export function speakProtectedResource(provider: Provider): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    if (!documents.includes(ctx.path)) return next();
    ctx.set('access-control-allow-origin', '*');
    ctx.set('cache-control', 'public, max-age=60');
    ctx.body = {
      resource: mcpResourceOf(provider.issuer),
      resource_name: 'Plinth',
      authorization_servers: [provider.issuer],
      scopes_supported: [MCP_SCOPE],
      bearer_methods_supported: ['header'],
    };
  });
}
