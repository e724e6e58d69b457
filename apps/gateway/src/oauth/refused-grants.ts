import type { ServerResponse } from 'node:http';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

const refusals: readonly unknown[] = ['invalid_client', 'invalid_grant', 'invalid_token'];
const refused = new WeakSet<ServerResponse>();

/** Remembers which requests showed a secret, a code or a token that is not valid. */
export function noteRefusals(provider: Provider): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next();
    const { error } = (ctx.body ?? {}) as { error?: unknown };
    if (refusals.includes(error)) refused.add(ctx.res);
  });
}

export const isRefused = (response: ServerResponse): boolean => refused.has(response);
