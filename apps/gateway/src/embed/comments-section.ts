import type { Principal } from '@plinth/auth';
import type { ReplyOf, Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { html, type Html } from '@plinth/html';
import type { Bus } from '@plinth/messaging';
import type { Texts } from './texts';

type Comment = Schemas['EmbedDashboardCommentDto'];
type Thread = Schemas['EmbedDashboardCommentThreadDto'];

/** What a form of the section asks for. */
export const commentActions = ['comment', 'edit', 'remove', 'resolve'] as const;
export type CommentAction = (typeof commentActions)[number];

export interface Talk {
  threads: readonly Thread[];
  hasMore: boolean;
  /** By the ids of embed users. */
  names: ReadonlyMap<number, string>;
}

const SHOWN_THREADS = 50;
const SHOWN_NAMES = 500;
const LONGEST = 10_000;

/** Undefined for whoever takes no part: users of the account, and sessions without an embed tenant. */
export async function readTalk(bus: Bus, principal: Principal, publicId: string): Promise<Talk | undefined> {
  const { embed } = principal;
  if (!embed || embed.embedUserId === null || embed.embedTenantName === null) return undefined;
  const path = { publicId };
  const [threads, users] = await Promise.all([
    bus.call('listDashboardComments', { principal, path, query: { first: SHOWN_THREADS }, body: undefined }),
    bus.call('listMentionableEmbedUsers', { principal, path, query: { first: SHOWN_NAMES }, body: undefined }),
  ]);
  return { threads: threads.items, hasMore: threads.pageInfo.hasNextPage === true, names: namesIn(users) };
}

const namesIn = ({ items }: ReplyOf<'listMentionableEmbedUsers'>): Map<number, string> =>
  new Map(items.map(({ id, firstName, username }) => [id, firstName ?? username]));

/**
 * Does what a form of the section has asked for.
 *
 * @throws AppError as the operations do; `request.invalid` (400) for an empty or a long text
 */
export async function act(bus: Bus, principal: Principal, publicId: string, form: URLSearchParams): Promise<void> {
  const id = Number(form.get('comment'));
  const path = { publicId, commentId: Number.isSafeInteger(id) && id > 0 ? id : 0 };
  switch (form.get('action')) {
    case 'comment': {
      const body = { body: textIn(form), parentId: path.commentId || null };
      return void (await bus.call('createDashboardComment', { principal, path: { publicId }, query: {}, body }));
    }
    case 'edit':
      return void (await bus.call('updateDashboardComment', {
        principal,
        path,
        query: {},
        body: { body: textIn(form) },
      }));
    case 'remove':
      return void (await bus.call('removeDashboardComment', { principal, path, query: {}, body: undefined }));
    default:
      await bus.call('setDashboardCommentResolved', { principal, path, query: {}, body: { resolved: true } });
  }
}

function textIn(form: URLSearchParams): string {
  const text = (form.get('text') ?? '').replaceAll('\r\n', '\n');
  if (text.trim() === '' || text.length > LONGEST)
    throw new AppError('request.invalid', `A comment has 1 to ${LONGEST} characters`);
  return text;
}

export interface TalkLook {
  texts: Texts;
  locale: string;
  timeZone: string;
  /** Fields that go with each form. */
  hidden: readonly Html[];
  /** What went wrong with the last one. */
  complaint: string | undefined;
}

export function talkHtml({ threads, hasMore, names }: Talk, look: TalkLook): Html {
  const { texts, complaint } = look;
  const section = new Section(names, look);
  return html`<section class="plinth-talk" aria-labelledby="plinth-comments">
    <h2 id="plinth-comments">${texts.comments}</h2>
    ${complaint === undefined ? undefined : html`<p class="plinth-wrong" role="alert">${texts.commentWrong}: ${complaint}.</p>`}
    ${section.textForm('comment', undefined, texts.newComment, texts.send)}
    ${threads.length === 0 ? html`<p class="plinth-by">${texts.noComments}</p>` : undefined}
    <ol>
      ${threads.map((thread) => section.thread(thread))}
    </ol>
    ${hasMore ? html`<p class="plinth-by">${texts.older}</p>` : undefined}
  </section>`;
}

class Section {
  private readonly time: Intl.DateTimeFormat;

  constructor(
    private readonly names: Talk['names'],
    private readonly look: TalkLook,
  ) {
    const { locale, timeZone } = look;
    this.time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  }

  thread({ root, replies }: Thread): Html {
    const { texts } = this.look;
    return html`<li class="plinth-card">
      ${this.comment(root)}
      <details>
        <summary>${texts.reply}</summary>
        ${this.textForm('comment', root.id, texts.reply, texts.send)}
      </details>
      ${root.isOwn ? this.button('resolve', root.id, texts.resolve) : undefined}
      ${
        replies.length === 0
          ? undefined
          : html`<ol>
              ${replies.map((reply) => html`<li>${this.comment(reply)}</li>`)}
            </ol>`
      }
    </li>`;
  }

  /** A form with a text; of a comment that is there, or for a new one. */
  textForm(action: CommentAction, id: number | undefined, label: string, send: string, text = ''): Html {
    const field = `plinth-${action}-${id ?? 'new'}`;
    return html`<form method="post">
      ${this.fields(action, id)}
      <label for="${field}">${label}</label>
      <textarea id="${field}" name="text" rows="3" maxlength="${LONGEST}" required>${text}</textarea>
      <button type="submit">${send}</button>
    </form>`;
  }

  private comment(comment: Comment): Html {
    const { texts } = this.look;
    const { id, userId, createdAt, editedAt, removedAt, isOwn, body } = comment;
    const name = (userId == null ? undefined : this.names.get(userId)) ?? texts.somebody;
    const written = new Date(createdAt);
    const by = html`<p class="plinth-by">
      <strong>${name}</strong>
      <time datetime="${written.toISOString()}">${this.time.format(written)}</time>
      ${editedAt ? `(${texts.edited})` : undefined}
    </p>`;
    if (removedAt)
      return html`${by}
        <p class="plinth-text plinth-by">${texts.removed}</p>`;
    const own = html`<details>
        <summary>${texts.edit}</summary>
        ${this.textForm('edit', id, texts.edit, texts.save, body)}
      </details>
      ${this.button('remove', id, texts.remove)}`;
    return html`${by}
      <p class="plinth-text">${body}</p>
      ${isOwn ? own : undefined}`;
  }

  private button(action: CommentAction, id: number, label: string): Html {
    return html`<form method="post">
      ${this.fields(action, id)}<button type="submit" class="plinth-second">${label}</button>
    </form>`;
  }

  private fields(action: CommentAction, id: number | undefined): Html {
    return html`${[...this.look.hidden]}<input type="hidden" name="action" value="${action}" />${
        id === undefined ? undefined : html`<input type="hidden" name="comment" value="${id}" />`
      }`;
  }
}
