import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { html } from '@plinth/html';
import { failureTitle } from '../pages/page.dialect';
import { paths } from './endpoints';
import { sessionForm, showPage } from './oauth-pages';

/** Pages on which a person ends their session in the browser. */
export const signOutPages = {
  async logoutSource(ctx: KoaContextWithOIDC): Promise<void> {
    const form = sessionForm(
      ctx,
      `${paths.signOut}/confirm`,
      html`<input type="hidden" name="logout" value="yes" /><button type="submit">Sign out</button>`,
    );
    const hint = html`<p>Devices that you have connected stay connected.</p>`;
    showPage(ctx, 'Sign out?', html`${hint} ${form}`);
  },

  async postLogoutSuccessSource(ctx: KoaContextWithOIDC): Promise<void> {
    showSignedOut(ctx);
  },
};

export const showSignedOut = (ctx: KoaContextWithOIDC): void =>
  showPage(ctx, 'You are signed out', html`<p>You can close this page.</p>`, 200);

/** In plain words what the server says in those of its protocol. */
const explanations: Readonly<Record<string, string>> = {
  'client is invalid':
    'The program that sent you here is not known to this platform. Its client id is wrong, or an administrator of the ' +
    'platform has not registered it.',
  "redirect_uri did not match any of the client's registered redirect_uris":
    'The program that sent you here asks for the answer at an address that is not registered for it.',
};

/** What the server says of parameters is for whoever wrote the program, in whose requests it has to be put right. */
function explained({ error_description: said = 'The request cannot be answered' }: ErrorOut): string {
  const isOfParameters = /parameter|redirect_uri|response_type|code_challenge|scope/.test(said);
  return (
    explanations[said] ?? `${isOfParameters ? 'The program that sent you here asks in a wrong way: ' : ''}${said}.`
  );
}

/** A request that went wrong where no client can be told. */
export async function showFailure(ctx: KoaContextWithOIDC, out: ErrorOut): Promise<void> {
  const content = html`<p>${explained(out)}</p>
    <p class="hint">${out.error}</p>`;
  const status = ctx.status < 400 || ctx.status === 404 ? 400 : ctx.status;
  showPage(ctx, failureTitle(status), content, status);
}
