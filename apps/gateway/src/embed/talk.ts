import { systemPrincipal, type Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';

export type Colleague = Schemas['EmbedMentionableUserDto'];
type Thread = Schemas['EmbedDashboardCommentThreadDto'];

/** What a form of the section asks for. */
export const commentActions = ['comment', 'edit', 'remove', 'resolve'] as const;
export type CommentAction = (typeof commentActions)[number];

export interface Talk {
  threads: readonly Thread[];
  /** Where older threads go on; null when there are none. */
  older: string | null;
  /** Who has written something, by their ids. */
  authors: ReadonlyMap<number, Colleague>;
  /** Whom a comment can mention, as many as are suggested. */
  suggested: readonly Colleague[];
}

const SHOWN_THREADS = 50;
export const SUGGESTED = 200;
const MOST_AUTHORS = 1_000;
const LONGEST = 10_000;

/**
 * Undefined for whoever takes no part: users of the account, and sessions without an embed tenant.
 *
 * @param after the position of the threads; null for the newest.
 */
export async function readTalk(
  bus: Bus,
  principal: Principal,
  publicId: string,
  after: string | null,
): Promise<Talk | undefined> {
  const { embed, tenantId } = principal;
  if (!embed || embed.embedUserId === null || embed.embedTenantName === null) return undefined;
  const { embedTenantName } = embed;
  const path = { publicId };
  const query = { first: SHOWN_THREADS, ...(after !== null && { after }) };
  const [{ items: threads, pageInfo }, { items: suggested }] = await Promise.all([
    bus.call('listDashboardComments', { principal, path, query, body: undefined }),
    bus.call('listMentionableEmbedUsers', { principal, path, query: { first: SUGGESTED }, body: undefined }),
  ]);
  const embedUserIds = authorsOf(threads);
  const asked = { embedTenantName, groupIds: [], embedUserIds };
  const { users } =
    embedUserIds.length === 0 ? { users: [] } : await bus.ask('describeColleagues', systemPrincipal(tenantId), asked);
  const older = pageInfo.hasNextPage === true ? (pageInfo.endCursor ?? null) : null;
  return { threads, older, authors: new Map(users.map((user) => [user.id, user])), suggested };
}

const authorsOf = (threads: readonly Thread[]): number[] =>
  [...new Set(threads.flatMap(({ root, replies }) => [root, ...replies].flatMap(({ userId }) => userId ?? [])))].slice(
    0,
    MOST_AUTHORS,
  );

/**
 * Does what a form of the section has asked for.
 *
 * @throws AppError as the operations do; `request.invalid` (400) for an empty or a long text, and for a mention of nobody
 */
export async function act(bus: Bus, principal: Principal, publicId: string, form: URLSearchParams): Promise<void> {
  const id = Number(form.get('comment'));
  const path = { publicId, commentId: Number.isSafeInteger(id) && id > 0 ? id : 0 };
  const call = { principal, path, query: {} };
  switch (form.get('action')) {
    case 'comment': {
      const mention = await mentionIn(bus, principal, publicId, form);
      const body = { body: textIn(form, mention), parentId: path.commentId || null };
      return void (await bus.call('createDashboardComment', { ...call, path: { publicId }, body }));
    }
    case 'edit':
      return void (await bus.call('updateDashboardComment', { ...call, body: { body: textIn(form) } }));
    case 'remove':
      return void (await bus.call('removeDashboardComment', { ...call, body: undefined }));
    default:
      await bus.call('setDashboardCommentResolved', { ...call, body: { resolved: true } });
  }
}

/** What stands before the text: the username of whom the form names. */
async function mentionIn(bus: Bus, principal: Principal, publicId: string, form: URLSearchParams): Promise<string> {
  const named = form.get('mention')?.trim() ?? '';
  if (named === '') return '';
  const find = (search: string) =>
    bus.call('listMentionableEmbedUsers', {
      ...{ principal, path: { publicId }, body: undefined },
      query: { search, first: SUGGESTED },
    });
  return `@${(await colleagueNamed(named, find)).username} `;
}

/**
 * Whom a field means: a username, as lists suggest it.
 *
 * @throws AppError `request.invalid` (400) when it is nobody's
 */
export async function colleagueNamed(
  named: string,
  find: (search: string) => Promise<{ items: readonly Colleague[] }>,
): Promise<Colleague> {
  const { items } = await find(named.slice(0, 255));
  const found = items.find(({ username }) => username.toLowerCase() === named.toLowerCase());
  if (found) return found;
  throw new AppError('request.invalid', 'Nobody has this name');
}

function textIn(form: URLSearchParams, mention = ''): string {
  const text = (form.get('text') ?? '').replaceAll('\r\n', '\n');
  if (text.trim() === '' || mention.length + text.length > LONGEST)
    throw new AppError('request.invalid', `A comment has 1 to ${LONGEST} characters`);
  return mention + text;
}
