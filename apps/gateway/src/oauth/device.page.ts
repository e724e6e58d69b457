import { AppError } from '@plinth/errors';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { html } from '@plinth/html';
import { complaint } from '../pages/page-layout';
import { paths } from './endpoints';
import { sessionForm, showPage } from './oauth-pages';

const reasons: Readonly<Record<string, string>> = {
  NoCodeError: 'Please type in the code',
  NotFoundError: 'There is no such code: compare it with the one in your terminal',
  ExpiredError: 'This code has expired: run the login command again',
  AlreadyUsedError: 'This code was used already: run the login command again',
};

/** An outage or too many attempts end nothing: the same code can be sent again later. */
function refusalOf(error: Error | undefined): { status: number; text: string | undefined } {
  if (error instanceof AppError) return { status: error.status, text: error.message };
  const text = error && (reasons[error.name] ?? 'That did not work: run the login command again');
  return { status: error ? 400 : 200, text };
}

/** Pages on which a person connects a device, such as a terminal, to their account. */
export const deviceFlowPages = {
  async userCodeInputSource(ctx: KoaContextWithOIDC, _form: string, _out?: object, error?: Error): Promise<void> {
    if (error?.name === 'AbortedError') {
      showPage(
        ctx,
        'The device was not connected',
        html`<p>You refused the request. You can close this page.</p>`,
        200,
      );
      return;
    }
    const { status, text } = refusalOf(error);
    showPage(ctx, 'Connect a device', html`${complaint(text)} ${codeForm(ctx, error)}`, status);
  },

  async userCodeConfirmSource(ctx: KoaContextWithOIDC): Promise<void> {
    showPage(ctx, 'Connect a device', codeForm(ctx), 200);
  },

  async successSource(ctx: KoaContextWithOIDC): Promise<void> {
    const content = html`<p>You can close this page and go back to your terminal.</p>`;
    showPage(ctx, 'The device is connected', content, 200);
  },
};

/** The code is filled in but not sent: whoever sent the link has to make a person compare it. */
function codeForm(ctx: KoaContextWithOIDC, error?: Error) {
  const typed = (error as { userCode?: string } | undefined)?.userCode ?? ctx.state['userCode'];
  return sessionForm(
    ctx,
    paths.device,
    html`<input type="hidden" name="confirm" value="yes" />
      <label for="user_code">Code shown on the device</label>
      <input
        type="text"
        id="user_code"
        name="user_code"
        value="${typeof typed === 'string' ? typed.slice(0, 20) : ''}"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        maxlength="20"
        required
        autofocus
        aria-invalid="${String(error !== undefined)}"
        aria-describedby="${error ? 'complaint hint' : 'hint'}"
      />
      <p class="hint" id="hint">Continue only if you started this yourself and see the same code there.</p>
      <button type="submit">Continue</button>`,
  );
}
