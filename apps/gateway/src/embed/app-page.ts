import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { html, type Html } from '@plinth/html';
import type { EmbedHandlerParts, FramePage, FrameRequest, FrameWork } from './embed.handler';
import { shell } from './page-shell';
import { hiddenFields, localeIn } from './page-view';
import { textsFor, type Texts } from './texts';

type Item = Schemas['Workbook'];

/** Things of a list that are shown. */
const SHOWN = 200;

/** What is shared with the reader in a deployment, and what is their own, to be opened. */
export class AppPage implements FrameWork {
  readonly path: string;

  constructor(
    private readonly parts: EmbedHandlerParts,
    private readonly deploymentId: number,
  ) {
    this.path = `/embed/d/${deploymentId}/app`;
  }

  /** @throws AppError `deployment.not_found` (404) for another one than the session's */
  async show(frame: FrameRequest): Promise<FramePage> {
    const { principal, account, view } = frame;
    if (principal.embed?.deploymentId !== this.deploymentId)
      throw new AppError('deployment.not_found', 'There is no such deployment');
    const session = await this.parts.accounts.session(principal.tenantId, principal.embed.sessionId);
    const locale = view.locale ?? localeIn(session.locale) ?? localeIn(account.locale) ?? 'en';
    const { language, texts } = textsFor(locale);
    const [own, shared] = await Promise.all([
      session.isCreator ? this.items('workspaceObjects', principal, view.folder) : undefined,
      this.items('sharedWorkspaceObjects', principal, view.folder),
    ]);
    const title = own ? texts.own : texts.shared;
    const content = html`<header class="plinth-head"><h1>${session.displayName ?? title}</h1></header>
      <main>
        ${view.folder === null ? undefined : this.backHtml(frame, texts)}
        ${own && this.listHtml(texts.own, own, frame, texts)} ${this.listHtml(texts.shared, shared, frame, texts)}
      </main>`;
    const status = `/embed/status?frame=${view.frame}`;
    return shell({ title, language, texts, content, frame: view.frame, status }, account.origins);
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

  private listHtml(title: string, items: readonly Item[], frame: FrameRequest, texts: Texts): Html {
    const list = items.map((item) => html`<li class="plinth-card">${this.itemHtml(item, frame)}</li>`);
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
    return openForm(
      target,
      [...hiddenFields({ ...view, ...here }, false), ...secretOf(token)],
      isFolder ? `${name} /` : name,
    );
  }

  private backHtml({ view, token }: FrameRequest, texts: Texts): Html {
    return openForm(
      this.path,
      [...hiddenFields({ ...view, folder: null }, false), ...secretOf(token)],
      `← ${texts.back}`,
    );
  }
}

const secretOf = (token: string | undefined): Html[] =>
  token === undefined ? [] : [html`<input type="hidden" name="token" value="${token}" />`];

/** A link that takes the token with it where the browser keeps no cookie. */
const openForm = (target: string, hidden: readonly Html[], text: string): Html =>
  html`<form method="post" action="${target}">
    ${[...hidden]}<button type="submit" class="plinth-link">${text}</button>
  </form>`;
