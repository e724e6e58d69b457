import { createHash } from 'node:crypto';
import type { ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import { Router } from 'express';
import { html, type Html } from '@plinth/html';
import type { PageHandler, PageReply, PageRequest } from './page-handler';
import { complaint } from './page-layout';

const TOKEN = /^[\w-]{43}$/;

/** Paths of the page in links, without the token. The link itself knows what it is for. */
export const passwordLinkPaths = ['/auth/invitation', '/auth/password-reset'];

/** The page behind a link by which a person sets the password of their account. */
export function passwordLinkPage(pages: PageHandler, bus: Bus): Router {
  const router = Router();
  const link = new PasswordLinkPage(bus);
  const name = 'password-link';
  router.get(
    '/:token',
    pages.page(name, (page) => link.show(page)),
  );
  router.post(
    '/:token',
    pages.page(name, (page) => link.use(page)),
  );
  router.all('/:token', pages.otherMethods(name, ['GET', 'POST']));
  router.use(
    pages.page(name, async () => {
      throw new AppError('request.not_found', 'There is no such page');
    }),
  );
  return router;
}

class PasswordLinkPage {
  constructor(private readonly bus: Bus) {}

  async show(page: PageRequest, refusal?: string): Promise<PageReply> {
    const link = await this.bus.call('describePasswordLink', callOf(page, { tokenHash: hashOf(page) }));
    const { email } = link;
    return {
      status: refusal === undefined ? 200 : 400,
      title: refusal === undefined ? greeting(link) : 'Please choose another password',
      content: html`<p>Choose a password for <strong>${email}</strong> at ${page.principal.tenantName}.</p>
        ${complaint(refusal)} ${form(email, refusal !== undefined)}`,
    };
  }

  async use(page: PageRequest): Promise<PageReply> {
    const { password, repetition } = page.form;
    if (typeof password !== 'string' || password !== repetition) {
      return this.show(page, 'The two passwords are not the same');
    }
    try {
      const body = { tokenHash: hashOf(page), password };
      const { email } = await this.bus.call('usePasswordLink', callOf(page, body));
      return {
        status: 200,
        title: 'Your password is set',
        content: html`<p>You can sign in to ${page.principal.tenantName} as <strong>${email}</strong> from now on.</p>
          <p>
            <a href="/auth/device">Connect a device or a command-line client</a>, or go to the <a href="/">overview</a>.
          </p>`,
      };
    } catch (error) {
      if (error instanceof AppError && error.code === 'password.unacceptable') return this.show(page, error.message);
      throw error;
    }
  }
}

function greeting({ purpose, firstName }: ReplyOf<'describePasswordLink'>): string {
  if (purpose === 'password-reset') return 'Choose a new password';
  return firstName ? `Welcome, ${firstName}` : 'Welcome';
}

const form = (email: string, isRefused: boolean): Html =>
  html`<form method="post">
    <input type="text" name="username" value="${email}" autocomplete="username" hidden readonly />
    ${passwordField('password', 'New password', isRefused)}
    <p class="hint" id="rules">12 to 128 characters. Several words are easier to remember than signs.</p>
    ${passwordField('repetition', 'New password again', isRefused)}
    <button type="submit">Set password</button>
  </form>`;

const passwordField = (name: string, label: string, isRefused: boolean): Html =>
  html`<label for="${name}">${label}</label>
    <input
      type="password"
      id="${name}"
      name="${name}"
      autocomplete="new-password"
      minlength="12"
      required
      aria-invalid="${String(isRefused)}"
      aria-describedby="${isRefused ? 'complaint rules' : 'rules'}"
    />`;

const callOf = <Body>({ principal }: PageRequest, body: Body) => ({ principal, path: {}, query: {}, body });

/** Only the hash of a token crosses the bus. */
function hashOf({ parameters }: PageRequest): string {
  const token = parameters['token'] ?? '';
  if (!TOKEN.test(token)) {
    throw new AppError('password_link.not_found', 'The link has expired, was used, or was replaced by a newer one');
  }
  return createHash('sha256').update(token).digest('hex');
}
