import type { Principal } from '@plinth/auth';
import type { Bus } from '@plinth/messaging';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { isReading } from '../http/methods';
import { paths } from './endpoints';
import { showFailure, showSignedOut } from './sign-out.page';

interface PageParts {
  bus: Bus;
  principal: Principal;
}

/** Keeps pages from needing scripts, and records who signs out. */
export function speakPages(provider: Provider, parts: PageParts): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    if (isReading(ctx) && ctx.path === paths.device) takeCodeAside(ctx);
    if (await isLost(provider, ctx)) return showFailure(ctx, lost);
    if (!ctx.path.startsWith(paths.signOut)) return next();
    const { accountId } = await provider.Session.get(ctx);
    if (accountId === undefined && ctx.path === paths.signOut) return showSignedOut(ctx);
    await next();
    if (accountId !== undefined && ctx.oidc.session?.accountId !== accountId) await recordSignOut(parts, accountId);
  });
}

/** The server cannot answer a browser that comes back from a step, or with a form, and whose session has gone. */
async function isLost(provider: Provider, ctx: KoaContextWithOIDC): Promise<boolean> {
  if (isReading(ctx) && ctx.path.startsWith(`${paths.device}/`)) {
    return ctx.cookies.get(provider.cookieName('session')) === undefined;
  }
  if (isReading(ctx) || ctx.path !== paths.device) return false;
  const { state } = await provider.Session.get(ctx);
  return state === undefined;
}

const lost = {
  error: 'invalid_request',
  error_description: 'This sign-in has expired or was begun in another browser',
};

/** A code in a link would be sent by a script at once; a person shall see and confirm it. */
function takeCodeAside(ctx: KoaContextWithOIDC): void {
  ctx.state['userCode'] = ctx.query['user_code'];
  ctx.querystring = '';
}

const recordSignOut = ({ bus, principal }: PageParts, accountId: string): Promise<unknown> =>
  bus.call('signOut', { principal, path: {}, query: {}, body: { userId: Number(accountId) } });
