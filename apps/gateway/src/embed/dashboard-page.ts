import { AppError } from '@plinth/errors';
import { Html, html } from '@plinth/html';
import type { ReplyOf } from '@plinth/contract';
import { talkHtml } from './comments-section';
import type { EmbedHandlerParts, FramePage, FrameRequest, FrameWork } from './embed.handler';
import { shell } from './page-shell';
import { hiddenFields, localeIn, type PageView } from './page-view';
import { act, commentActions, readTalk, type CommentAction, type Talk } from './talk';
import { textsFor, type Texts } from './texts';

type Drawn = ReplyOf<'drawEmbeddedDashboard'>;

const isCommentAction = (action: string | null): action is CommentAction =>
  (commentActions as readonly (string | null)[]).includes(action);

/** The page of one dashboard. */
export class DashboardPage implements FrameWork {
  readonly path: string;
  private complaint: string | undefined;

  constructor(
    private readonly parts: EmbedHandlerParts,
    private readonly publicId: string,
  ) {
    this.path = `/embed/dashboard/${encodeURIComponent(publicId)}`;
  }

  /** What is wrong with a comment is told beside it. */
  async act({ principal, form, view }: FrameRequest): Promise<void> {
    const action = form.get('action');
    if (action === 'reset') view.fields = null;
    if (!isCommentAction(action)) return;
    if (action === 'comment' && !form.has('comment')) view.after = null;
    await act(this.parts.bus, principal, this.publicId, form).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.status === 401 || error.status >= 500) throw error;
      this.complaint = error.message;
    });
  }

  get hasFailed(): boolean {
    return this.complaint !== undefined;
  }

  async show(frame: FrameRequest): Promise<FramePage> {
    const { principal, account, view } = frame;
    const session = await this.parts.accounts.session(principal.tenantId, principal.embed?.sessionId ?? '');
    const locale = view.locale ?? localeIn(session.locale) ?? localeIn(account.locale) ?? 'en';
    const timeZone = view.timezone ?? session.timeZone ?? account.timeZone;
    const body = {
      ...{ publicId: this.publicId, fields: view.fields, theme: view.theme, locale, timeZone },
      accent: session.theme?.primaryColor ?? null,
    };
    const [drawn, talk] = await Promise.all([
      this.parts.bus.call('drawEmbeddedDashboard', { principal, path: {}, query: {}, body }),
      account.hasComments
        ? readTalk(this.parts.bus, principal, this.publicId, view.after).catch(withoutTalk)
        : undefined,
    ]);
    const { language, texts } = textsFor(locale);
    const status = `/embed/status?frame=${view.frame}&dashboard=${encodeURIComponent(this.publicId)}`;
    const content = contentOf(frame, drawn, talk, { texts, complaint: this.complaint });
    const { title, css } = drawn;
    const { font } = session.theme ?? {};
    return shell({ title, language, texts, content, css, font, frame: view.frame, status }, account.origins);
  }
}

/** Sessions that may not comment see the dashboard all the same. */
function withoutTalk(error: unknown): undefined {
  if (error instanceof AppError && error.status === 403) return undefined;
  throw error;
}

function contentOf(
  { view, token }: FrameRequest,
  drawn: Drawn,
  talk: Talk | undefined,
  { texts, complaint }: { texts: Texts; complaint: string | undefined },
): Html {
  const secret = token === undefined ? [] : [html`<input type="hidden" name="token" value="${token}" />`];
  const { locale, timeZone } = drawn;
  const hiddenAt = (after: string | null) => [...hiddenFields({ ...view, after }, true), ...secret];
  const isOlder = view.after !== null;
  const look = { texts, locale, timeZone, complaint, hidden: hiddenAt(view.after), hiddenAt, isOlder };
  const controls = html`<form class="plinth-bar" id="plinth-controls" method="post">
    ${[...hiddenFields(view, false), ...secret]}
    <input type="hidden" name="chosen" value="1" />
    <button type="submit">${texts.apply}</button>
    <button type="submit" name="action" value="reset" class="plinth-second">${texts.reset}</button>
  </form>`;
  return html`<a class="plinth-skip" href="#plinth-content">${texts.skip}</a>
    ${backHtml(view, secret, texts)} ${headOf(drawn, texts, drawn.hasFields ? controls : undefined)}
    <main id="plinth-content" tabindex="-1">${new Html(drawn.html)}</main>
    ${talk && talkHtml(talk, look)}`;
}

/** To the list that the dashboard was opened from. */
function backHtml({ list, ...view }: PageView, secret: readonly Html[], texts: Texts): Html | undefined {
  if (list === null) return undefined;
  const hidden = hiddenFields({ ...view, list: null, after: null, fields: null }, false);
  return html`<form method="post" action="/embed/d/${list}/app">
    ${[...hidden, ...secret]}<button type="submit" class="plinth-link">← ${texts.back}</button>
  </form>`;
}

function headOf(
  { title, description, captions, locale, timeZone }: Drawn,
  texts: Texts,
  controls: Html | undefined,
): Html {
  const now = new Date();
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(now);
  const chips = captions.map(({ label, value }) => html`<li><span>${label}:</span> <strong>${value}</strong></li>`);
  return html`<header class="plinth-head">
    <h1>${title}</h1>
    <p class="plinth-time">${texts.asOf} <time datetime="${now.toISOString()}">${time}</time> · ${timeZone}</p>
    ${description === null ? undefined : html`<p class="plinth-description">${description}</p>`}
    ${
      chips.length === 0
        ? undefined
        : html`<ul class="plinth-captions">
            ${chips}
          </ul>`
    }
    ${controls}
  </header>`;
}
