import type { Schemas } from '@plinth/contract';
import { html, type Html } from '@plinth/html';
import { withMentions } from './mentions';
import type { CommentAction, Talk } from './talk';
import type { Texts } from './texts';

type Comment = Schemas['EmbedDashboardCommentDto'];
type Thread = Schemas['EmbedDashboardCommentThreadDto'];

const LONGEST = 10_000;
const SUGGESTIONS = 'plinth-colleagues';

export interface TalkLook {
  texts: Texts;
  locale: string;
  timeZone: string;
  /** Fields that go with each form. */
  hidden: readonly Html[];
  /** Those of a form that shows threads after a position, or the newest with null. */
  hiddenAt: (after: string | null) => readonly Html[];
  /** Whether the threads shown are not the newest. */
  isOlder: boolean;
  /** What went wrong with the last one. */
  complaint: string | undefined;
}

export function talkHtml(talk: Talk, look: TalkLook): Html {
  const { threads, older, suggested } = talk;
  const { texts, complaint, isOlder } = look;
  const section = new Section(talk, look);
  return html`<section class="plinth-talk" aria-labelledby="plinth-comments">
    <h2 id="plinth-comments">${texts.comments}</h2>
    ${complaint === undefined ? undefined : html`<p class="plinth-wrong" role="alert">${texts.commentWrong}: ${complaint}.</p>`}
    <datalist id="${SUGGESTIONS}">
      ${suggested.map(({ username, firstName }) => html`<option value="${username}">${firstName ?? ''}</option>`)}
    </datalist>
    ${section.textForm('comment', undefined, texts.newComment, texts.send)}
    ${isOlder ? section.turn(null, texts.newest) : undefined}
    ${threads.length === 0 ? html`<p class="plinth-by">${texts.noComments}</p>` : undefined}
    <ol>
      ${threads.map((thread) => section.thread(thread))}
    </ol>
    ${older === null ? undefined : section.turn(older, texts.older)}
  </section>`;
}

class Section {
  private readonly time: Intl.DateTimeFormat;

  constructor(
    private readonly talk: Talk,
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
      ${action === 'comment' ? this.mentionField(field) : undefined}
      <button type="submit">${send}</button>
    </form>`;
  }

  /** Shows other threads; what the controls say stays. */
  turn(after: string | null, label: string): Html {
    return html`<form method="post">
      ${[...this.look.hiddenAt(after)]}<button type="submit" class="plinth-second">${label}</button>
    </form>`;
  }

  /** A list that browsers search without a script. */
  private mentionField(field: string): Html {
    return html`<label for="${field}-mention">${this.look.texts.mention}</label>
      <input
        id="${field}-mention"
        name="mention"
        list="${SUGGESTIONS}"
        maxlength="255"
        autocomplete="off"
        class="plinth-short"
      />`;
  }

  private comment(comment: Comment): Html {
    const { texts } = this.look;
    const { authors, suggested } = this.talk;
    const { id, userId, createdAt, editedAt, removedAt, isOwn, body } = comment;
    const author = authors.get(userId ?? 0);
    const name = author?.firstName ?? author?.username ?? texts.somebody;
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
      <p class="plinth-text">${withMentions(body, [...suggested, ...authors.values()])}</p>
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
