import { AppError } from '@plinth/errors';
import type { Provider, KoaContextWithOIDC } from 'oidc-provider';
import { jsonContent } from '../dialects/content';
import type { Dialect } from '../dialects/dialect';
import { oauthDialect, oauthErrorBody, type OAuthErrorBody } from '../dialects/oauth.dialect';
import { paths } from './endpoints';

/** Seconds that a device waits between two questions for its tokens. */
export const DEVICE_INTERVAL_SECONDS = 5;

interface TokenReply {
  access_token: string;
  refresh_token?: string;
  expires_in: number;
  token_type: string;
  scope?: string;
}

/** Gives the command-line client its own paths and spelling of the standard endpoints. */
export function speakCommandLine(provider: Provider): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    const { path } = ctx;
    const isCommandLine = path === paths.deviceToken || path === paths.refresh;
    if (isCommandLine) ctx.path = paths.token;
    await next();
    const isSuccess = ctx.status === 200;
    if (path === paths.deviceAuthorization && isSuccess) {
      ctx.body = { ...(ctx.body as object), interval: DEVICE_INTERVAL_SECONDS };
    }
    if (isCommandLine && isSuccess) ctx.body = commandLineTokens(ctx.body as TokenReply, provider.issuer);
    if (path === paths.deviceToken && ctx.status >= 500) {
      ctx.status = 503;
      ctx.body = stillWaiting(oauthErrorBody(new AppError('service.unavailable', 'Try again in some seconds')));
    }
  });
}

/** One spelling alone: the client takes a second one for a mistake. */
const commandLineTokens = (reply: TokenReply, tenantUrl: string) => ({
  accessToken: reply.access_token,
  ...(reply.refresh_token !== undefined && { refreshToken: reply.refresh_token }),
  tokenType: reply.token_type,
  expiresIn: reply.expires_in,
  scope: reply.scope ?? '',
  tenantUrl,
});

/** A device gives up at every error but those of waiting; an outage of some seconds shall not cost it its login. */
const stillWaiting = (body: OAuthErrorBody): OAuthErrorBody => ({ ...body, error: 'slow_down' });

/** For a device that asks for its tokens. */
export const deviceDialect: Dialect = {
  errorContent: (error, requestId) =>
    error.status >= 500
      ? jsonContent(stillWaiting(oauthErrorBody(error)))
      : oauthDialect.errorContent(error, requestId),
};
