import type { KoaContextWithOIDC } from 'oidc-provider';
import { html, type Html } from '@plinth/html';
import { pageHeaders, pageOf } from '../pages/page-layout';

/** Answers a request with a page. */
export function showPage(ctx: KoaContextWithOIDC, title: string, content: Html, status = ctx.status): void {
  ctx.status = status;
  ctx.set({ ...pageHeaders });
  ctx.body = pageOf(title, content);
}

/** A form that carries the token against forgery of its session. */
export const sessionForm = (ctx: KoaContextWithOIDC, action: string, content: Html): Html =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="xsrf" value="${secretOf(ctx)}" />
    ${content}
  </form>`;

const secretOf = ({ oidc }: KoaContextWithOIDC): string => {
  const state = oidc.session?.state as { secret?: string } | undefined;
  return state?.secret ?? '';
};
