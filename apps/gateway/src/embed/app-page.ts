import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { html, type Html } from '@plinth/html';
import type { EmbedSession } from '../tenants/embed-accounts';
import type { EmbedHandlerParts, FramePage, FrameRequest, FrameWork } from './embed.handler';
import { shell } from './page-shell';
import { hiddenFields, localeIn, type PageView } from './page-view';
import { changeSharing, readSharing, sharePanel, type OwnItem, type Sharing } from './share-panel';
import { textsFor, type Texts } from './texts';

type Item = Schemas['Workbook'];

/** Things of a list that are shown. */
const SHOWN = 200;

/** What is shared with the reader in a deployment, and what is their own, to be opened and to be shared. */
export class AppPage implements FrameWork {
  readonly path: string;
  private complaint: string | undefined;

  constructor(
    private readonly parts: EmbedHandlerParts,
    private readonly deploymentId: number,
  ) {
    this.path = `/embed/d/${deploymentId}/app`;
  }

  /** What is wrong with sharing is told beside it. */
  async act({ principal, form, view }: FrameRequest): Promise<void> {
    const item = this.itemIn(view);
    if (!item || !['share', 'unshare'].includes(form.get('action') ?? '')) return;
    await changeSharing(this.parts.bus, principal, item, form).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.status === 401 || error.status >= 500) throw error;
      this.complaint = error.message;
    });
  }

  get hasFailed(): boolean {
    return this.complaint !== undefined;
  }

  /** @throws AppError `deployment.not_found` (404) for another one than the session's */
  async show(frame: FrameRequest): Promise<FramePage> {
    const { principal, account, view } = frame;
    if (principal.embed?.deploymentId !== this.deploymentId)
      throw new AppError('deployment.not_found', 'There is no such deployment');
    const session = await this.parts.accounts.session(principal.tenantId, principal.embed.sessionId);
    const locale = view.locale ?? localeIn(session.locale) ?? localeIn(account.locale) ?? 'en';
    const { language, texts } = textsFor(locale);
    const title = session.isCreator ? texts.own : texts.shared;
    const content = html`<header class="plinth-head"><h1>${session.displayName ?? title}</h1></header>
      <main>
        ${view.folder === null ? undefined : this.backHtml(frame, texts)} ${await this.listsHtml(frame, session, texts)}
      </main>`;
    const status = `/embed/status?frame=${view.frame}`;
    const { font, primaryColor: accent } = session.theme ?? {};
    const { theme, frame: name } = view;
    return shell({ title, language, texts, content, theme, accent, font, frame: name, status }, account.origins);
  }

  /** What is the reader's own, where they make content, and what others share with them. */
  private async listsHtml(frame: FrameRequest, { isCreator }: EmbedSession, texts: Texts): Promise<Html> {
    const { principal, view } = frame;
    const [made, published, sharing] = await Promise.all([
      isCreator ? this.items('workspaceObjects', principal, view.folder) : [],
      this.items('sharedWorkspaceObjects', principal, view.folder),
      isCreator ? this.sharing(frame) : undefined,
    ]);
    const own = made.filter((item) => isOwn(item, principal));
    const shared = new Map([...published, ...made].map((item) => [item.id, item]));
    for (const { id } of own) shared.delete(id);
    return html`${
      isCreator ? this.listHtml(texts.own, own, (item) => this.ownHtml(item, frame, texts, sharing), texts) : undefined
    }
    ${this.listHtml(texts.shared, [...shared.values()], (item) => this.itemHtml(item, frame), texts)}`;
  }

  /** Of one folder, what can be opened; a folder of the other list is not there. */
  private async items(
    operationId: 'workspaceObjects' | 'sharedWorkspaceObjects',
    principal: Principal,
    folder: string | null,
  ): Promise<Item[]> {
    const path = { deploymentId: this.deploymentId };
    const query = { first: SHOWN, ...(folder !== null && { folderId: Number(folder) }) };
    try {
      const { items } = await this.parts.bus.call(operationId, { principal, path, query, body: undefined });
      return items.filter(({ type, dashboardPublicId }) => type === 'FOLDER' || dashboardPublicId != null);
    } catch (error) {
      if (error instanceof AppError && error.status === 404 && folder !== null) return [];
      throw error;
    }
  }

  private listHtml(title: string, items: readonly Item[], itemHtml: (item: Item) => Html, texts: Texts): Html {
    const list = items.map((item) => html`<li class="plinth-card">${itemHtml(item)}</li>`);
    return html`<h2 class="plinth-section">${title}</h2>
      ${
        list.length === 0
          ? html`<p>${texts.nothing}</p>`
          : html`<ul class="plinth-list">
              ${list}
            </ul>`
      }`;
  }

  private itemHtml({ type, id, name, dashboardPublicId }: Item, { view, token }: FrameRequest): Html {
    const isFolder = type === 'FOLDER';
    const target = isFolder ? this.path : `/embed/dashboard/${dashboardPublicId ?? ''}`;
    const here = isFolder ? { folder: String(id) } : { folder: null, list: String(this.deploymentId) };
    const shown = { ...view, share: null, ...here };
    return openForm(target, [...hiddenFields(shown, false), ...secretOf(token)], isFolder ? `${name} /` : name);
  }

  /** With its sharing, for those who have colleagues. */
  private ownHtml(item: Item, frame: FrameRequest, texts: Texts, sharing: Sharing | undefined): Html {
    const { view, token, principal } = frame;
    const opener = this.itemHtml(item, frame);
    if (principal.embed?.embedTenantName === null) return opener;
    const name = `${item.type}.${item.id}`;
    const isOpen = view.share === name && sharing !== undefined;
    const hidden = (share: string | null) => [...hiddenFields({ ...view, share }, false), ...secretOf(token)];
    const look = { texts, hidden: hidden(name), complaint: this.complaint };
    return html`${opener}
    ${openForm(this.path, hidden(isOpen ? null : name), isOpen ? texts.done : texts.share, 'plinth-second')}
    ${isOpen ? sharePanel(sharing, look) : undefined}`;
  }

  /** Of the thing whose sharing is asked for; undefined when the reader may not share it, or it is gone. */
  private async sharing({ principal, view }: FrameRequest): Promise<Sharing | undefined> {
    const item = this.itemIn(view);
    if (!item) return undefined;
    return readSharing(this.parts.bus, principal, item).catch((error: unknown) => {
      if (error instanceof AppError && [403, 404, 409].includes(error.status)) return undefined;
      throw error;
    });
  }

  private itemIn({ share }: PageView): OwnItem | undefined {
    const [type, id] = share?.split('.') ?? [];
    if (type !== 'FOLDER' && type !== 'WORKBOOK') return undefined;
    return { deploymentId: this.deploymentId, type, id: Number(id) };
  }

  private backHtml({ view, token }: FrameRequest, texts: Texts): Html {
    return openForm(
      this.path,
      [...hiddenFields({ ...view, folder: null, share: null }, false), ...secretOf(token)],
      `← ${texts.back}`,
    );
  }
}

/** Of users of the account, embed users are told nothing. */
const isOwn = ({ user }: Item, { embed }: Principal): boolean => user != null && user.id === embed?.embedUserId;

const secretOf = (token: string | undefined): Html[] =>
  token === undefined ? [] : [html`<input type="hidden" name="token" value="${token}" />`];

/** A link that takes the token with it where the browser keeps no cookie. */
const openForm = (target: string, hidden: readonly Html[], text: string, look = 'plinth-link'): Html =>
  html`<form method="post" action="${target}">
    ${[...hidden]}<button type="submit" class="${look}">${text}</button>
  </form>`;
