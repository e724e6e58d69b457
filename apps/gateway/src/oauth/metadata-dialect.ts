import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { MCP_SCOPE } from '../dialects/mcp-access';
import { paths } from './endpoints';

const documents: readonly string[] = [paths.jwks, paths.discovery, paths.openidDiscovery];

/** Lets clouds keep keys and metadata for a minute, which also bounds how long a withdrawn key is believed. */
export function speakMetadata(provider: Provider): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next();
    if (!documents.includes(ctx.path) || ctx.status !== 200) return;
    ctx.set('cache-control', 'public, max-age=60');
    const { body } = ctx as { body: { scopes_supported?: string[] } };
    // The server knows it as a scope of a resource alone.
    body.scopes_supported?.push(MCP_SCOPE);
  });
}
