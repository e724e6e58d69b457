import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { html, type Html } from '@plinth/html';
import type { Bus } from '@plinth/messaging';
import { colleagueNamed, SUGGESTED, type Colleague } from './talk';
import type { Texts } from './texts';

/** A folder or a workbook of the reader's own. */
export interface OwnItem {
  deploymentId: number;
  type: 'FOLDER' | 'WORKBOOK';
  id: number;
}

/** With whom something is shared, and with whom it may be. */
export interface Sharing {
  isWithEverybody: boolean;
  shares: Schemas['ContentShares'];
  groups: readonly Schemas['ColleagueGroup'][];
  colleagues: readonly Colleague[];
}

type Target = Pick<Schemas['UpdateContentSharesInput'], 'groupId' | 'embedUserId'>;

const EVERYBODY = 'everybody';

export async function readSharing(bus: Bus, principal: Principal, item: OwnItem): Promise<Sharing> {
  const { deploymentId, type, id } = item;
  const [access, shares, { items: groups }, { items: colleagues }] = await Promise.all([
    accessOf(bus, principal, item),
    bus.call('getContentShares', { principal, path: { deploymentId }, query: { type, id }, body: undefined }),
    bus.call('listEmbedColleagueGroups', { principal, path: {}, query: { first: SUGGESTED }, body: undefined }),
    bus.call('listEmbedColleagues', { principal, path: {}, query: { first: SUGGESTED }, body: undefined }),
  ]);
  return { isWithEverybody: access.tenants.length > 0, shares, groups, colleagues };
}

function accessOf(bus: Bus, principal: Principal, { deploymentId, type, id }: OwnItem) {
  const call = { principal, query: {}, body: undefined };
  return type === 'FOLDER'
    ? bus.call('getFolderEmbedAccess', { ...call, path: { deploymentId, folderId: id } })
    : bus.call('getEmbedAccess', { ...call, path: { deploymentId, workbookId: id } });
}

/**
 * Does what a form of the panel has asked for.
 *
 * @throws AppError as the operations do; `request.invalid` (400) for nobody and for no group
 */
export async function changeSharing(
  bus: Bus,
  principal: Principal,
  item: OwnItem,
  form: URLSearchParams,
): Promise<void> {
  const action = form.get('action') === 'unshare' ? 'none' : 'read';
  const target = form.get('target') ?? '';
  if (target === EVERYBODY) return shareWithEverybody(bus, principal, item, action);
  const { deploymentId, type, id } = item;
  const body = { type, id, action, ...(await targetIn(bus, principal, target, form.get('colleague') ?? '')) } as const;
  await bus.call('updateContentShares', { principal, path: { deploymentId }, query: {}, body });
}

async function shareWithEverybody(
  bus: Bus,
  principal: Principal,
  { deploymentId, type, id }: OwnItem,
  action: 'read' | 'none',
): Promise<void> {
  const call = { principal, query: {}, body: { embedTenantName: principal.embed?.embedTenantName ?? null, action } };
  if (type === 'FOLDER') await bus.call('updateFolderEmbedAccess', { ...call, path: { deploymentId, folderId: id } });
  else await bus.call('updateEmbedAccess', { ...call, path: { deploymentId, workbookId: id } });
}

async function targetIn(bus: Bus, principal: Principal, target: string, colleague: string): Promise<Target> {
  const [, kind, id] = /^(group|user)\.([1-9][0-9]{0,14})$/.exec(target) ?? [];
  if (kind === 'group') return { groupId: Number(id) };
  if (kind === 'user') return { embedUserId: Number(id) };
  if (colleague.trim() === '') throw new AppError('request.invalid', 'Nobody has been chosen');
  const found = await colleagueNamed(colleague.trim(), (search) =>
    bus.call('listEmbedColleagues', { principal, path: {}, query: { search, first: SUGGESTED }, body: undefined }),
  );
  return { embedUserId: found.id };
}

export interface PanelLook {
  texts: Texts;
  /** Fields that go with each form. */
  hidden: readonly Html[];
  /** What went wrong with the last one. */
  complaint: string | undefined;
}

export function sharePanel({ isWithEverybody, shares, groups, colleagues }: Sharing, look: PanelLook): Html {
  const { texts, complaint } = look;
  const shared = [
    ...(isWithEverybody ? [{ target: EVERYBODY, name: texts.everybody }] : []),
    ...shares.groups.map(({ id, name }) => ({ target: `group.${id}`, name })),
    ...shares.users.map((user) => ({ target: `user.${user.id}`, name: nameOf(user) })),
  ];
  return html`<section class="plinth-share" aria-label="${texts.share}">
    ${complaint === undefined ? undefined : html`<p class="plinth-wrong" role="alert">${texts.shareWrong}: ${complaint}.</p>`}
    <p class="plinth-by">${shared.length === 0 ? texts.sharedWithNobody : texts.sharedWith}</p>
    <ul>
      ${shared.map(({ target, name }) => html`<li>${name} ${stopForm(target, name, look)}</li>`)}
    </ul>
    ${actionForm(
      look,
      html`<label for="plinth-group">${texts.shareWith}</label>
        <select id="plinth-group" name="target">
          <option value="${EVERYBODY}">${texts.everybody}</option>
          ${groups.map(({ id, name }) => html`<option value="group.${id}">${name}</option>`)}
        </select>`,
    )}
    ${actionForm(
      look,
      html`<label for="plinth-colleague">${texts.shareWithOne}</label>
        <input
          id="plinth-colleague"
          name="colleague"
          list="plinth-people"
          maxlength="255"
          required
          class="plinth-short"
        />
        <datalist id="plinth-people">
          ${colleagues.map((user) => html`<option value="${user.username}">${nameOf(user)}</option>`)}
        </datalist>`,
    )}
  </section>`;
}

const nameOf = ({ firstName, username }: Colleague): string => firstName ?? username;

const actionForm = ({ hidden, texts }: PanelLook, fields: Html): Html =>
  html`<form method="post">
    ${[...hidden]}<input type="hidden" name="action" value="share" />${fields}<button type="submit">
      ${texts.share}
    </button>
  </form>`;

const stopForm = (target: string, name: string, { hidden, texts }: PanelLook): Html =>
  html`<form method="post">
    ${[...hidden]}<input type="hidden" name="action" value="unshare" /><input
      type="hidden"
      name="target"
      value="${target}"
    /><button type="submit" class="plinth-second" aria-label="${texts.stopSharing}: ${name}">
      ${texts.stopSharing}
    </button>
  </form>`;
