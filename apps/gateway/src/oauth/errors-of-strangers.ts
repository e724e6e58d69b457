import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { clientOf } from './client-registration';
import { paths } from './endpoints';

/**
 * Whoever registers names addresses, so a link to this host could lead anybody anywhere by a request that is wrong. Before a
 * person has seen where the answer goes, what is wrong is shown to them and to no other site (RFC 9700, 4.11.2).
 */
export function keepErrorsHere(provider: Provider): void {
  provider.on('authorization.error', (ctx: KoaContextWithOIDC, error: Error) => {
    const target = ctx.oidc.params?.['redirect_uri'] ?? ctx.query['redirect_uri'];
    const isStranger = clientOf(ctx.oidc.client?.clientId ?? '') !== undefined;
    const leavesMachine = typeof target === 'string' && URL.canParse(target) && new URL(target).protocol === 'https:';
    if (ctx.path === paths.authorization && isStranger && leavesMachine) {
      Object.assign(error, { allow_redirect: false });
    }
  });
}
