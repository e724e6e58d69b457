import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import { Router } from 'express';
import { html } from '@plinth/html';
import type { PageHandler, PageReply, PageRequest } from './page-handler';

/** Where links in mails lead that end them. */
export const unsubscribePath = '/auth/unsubscribe';

const LONGEST_TOKEN = 1_000;

/**
 * Ends mails without a sign-in. Opening the page changes nothing: programs that look into mails open links. Mail programs
 * send the form themselves (RFC 8058), from no site and in one of two forms, so that neither is looked at: the token in
 * the address is all there is to it.
 */
export function unsubscribePage(pages: PageHandler, bus: Bus): Router {
  const router = Router();
  const name = 'unsubscribe';
  router.get(
    '/',
    pages.page(name, (page) => show(bus, page)),
  );
  router.post(
    '/',
    pages.pageOfAnybody(name, (page) => unsubscribe(bus, page)),
  );
  router.all('/', pages.otherMethods(name, ['GET', 'POST']));
  return router;
}

async function show(bus: Bus, page: PageRequest): Promise<PageReply> {
  const { email, title, isSubscribed } = await bus.call('describeUnsubscription', callOf(page));
  if (!isSubscribed) return ended(email, title);
  return {
    status: 200,
    title: 'Unsubscribe?',
    content: html`<p><strong>${email}</strong> will get no more mails with <strong>${title}</strong>.</p>
      <form method="post"><button type="submit">Unsubscribe</button></form>`,
  };
}

async function unsubscribe(bus: Bus, page: PageRequest): Promise<PageReply> {
  const { email, title } = await bus.call('unsubscribe', callOf(page));
  return ended(email, title);
}

const ended = (email: string, title: string): PageReply => ({
  status: 200,
  title: 'You are unsubscribed',
  content: html`<p>
    <strong>${email}</strong> gets no more mails with <strong>${title}</strong>. You can close this page.
  </p>`,
});

function callOf({ principal, query }: PageRequest) {
  const token = query.get('token') ?? '';
  if (token === '' || token.length > LONGEST_TOKEN) {
    throw new AppError('unsubscription.not_found', 'The link is not valid, or the notification is gone');
  }
  return { principal, path: {}, query: {}, body: { token } };
}
