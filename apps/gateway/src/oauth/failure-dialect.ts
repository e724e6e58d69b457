import { AppError } from '@plinth/errors';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { oauthErrorBody } from '../dialects/oauth.dialect';
import { html } from '@plinth/html';
import { failureTitle } from '../pages/page.dialect';
import { endpointOf } from './endpoints';
import { showPage } from './oauth-pages';

/** Answers what the server leaves to its framework, which would answer in plain text. */
export function speakFailures(provider: Provider, report: (error: Error) => void): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    try {
      await next();
      if (ctx.status !== 404 || ctx.body != null) return;
      fail(ctx, new AppError('request.not_found', 'There is nothing here'));
    } catch (thrown) {
      report(thrown as Error);
      fail(ctx, AppError.from(thrown));
    }
  });
}

function fail(ctx: KoaContextWithOIDC, error: AppError): void {
  if (error.retryAfterSeconds !== undefined) ctx.set('retry-after', String(error.retryAfterSeconds));
  if (endpointOf(ctx.path)?.isPage) {
    showPage(ctx, failureTitle(error.status), html`<p>${error.message}.</p>`, error.status);
    return;
  }
  ctx.status = error.status;
  ctx.body = oauthErrorBody(error);
}
