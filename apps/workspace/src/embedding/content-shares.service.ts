import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, PathOf, QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { ContentNotices, ContentRights, type ItemRef, type RankedItem } from '../content';
import { ContentSharesRepository, type ShareTarget } from './content-shares.repository';

type Shares = Schemas['ContentShares'];

const MOST_SHARES = 200;

/** Content of an embed user, whose colleagues are the users of their embed tenant. */
type Shareable = RankedItem & { embedTenantName: string };

/**
 * Shares what embed users own with groups and users of their own embed tenant, whoever does it: others are not there. With the
 * whole of it, `EmbedAccessService` does.
 */
@Injectable()
export class ContentShares {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly rights: ContentRights,
    private readonly shares: ContentSharesRepository,
    private readonly notices: ContentNotices,
  ) {}

  /** @throws AppError as {@link ContentShares.update} does */
  async get(
    principal: Principal,
    { deploymentId }: PathOf<'getContentShares'>,
    ref: QueryOf<'getContentShares'>,
  ): Promise<ReplyOf<'getContentShares'>> {
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const [item, targets] = await this.database.transaction(principal.tenantId, async (tx) => {
      const found = shareable(await this.rights.require(tx, viewer, ref, 'manage'));
      return [found, await this.shares.list(tx, found.id)] as const;
    });
    return this.describe(principal, item, targets);
  }

  /**
   * @throws AppError `content.not_of_embed_tenant`, `content.too_many_shares` (409), `embed_group.not_found`,
   *   `embed_user.not_found` (404), and as `ContentRights.require` does for the right to manage it
   */
  async update(
    principal: Principal,
    { deploymentId }: PathOf<'updateContentShares'>,
    { type, id, action, ...named }: BodyOf<'updateContentShares'>,
  ): Promise<ReplyOf<'updateContentShares'>> {
    const target = targetIn(named);
    const ref: ItemRef = { type, id };
    const viewer = await this.rights.viewerOf(principal, deploymentId);
    const [before, shared] = await this.database.transaction(principal.tenantId, async (tx) => {
      const found = shareable(await this.rights.require(tx, viewer, ref, 'manage'));
      return [found, await this.shares.list(tx, found.id)] as const;
    });
    // Asked before anything is saved, which must then be answered. Who is gone leaves room: no id is given twice.
    const asked = action === 'read' ? [...shared.filter((each) => !isSame(each, target)), target] : shared;
    const there = await this.describe(principal, before, asked);
    const gone = action === 'read' ? asked.filter((each) => !isAmong(there, each)) : [];
    if (gone.includes(target)) throw notThere(target);
    const targets = await this.database.mutate(principal, async (tx) => {
      const item = shareable(await this.rights.require(tx, viewer, ref, 'manage', true));
      this.notices.announce(tx);
      for (const each of gone) await this.shares.revoke(tx, item.id, each);
      if (action === 'read') await this.shares.grant(tx, item, target);
      else await this.shares.revoke(tx, item.id, target);
      return this.bounded(tx, item.id);
    });
    return sharedWith(there, targets);
  }

  private async bounded(tx: Transaction, itemId: number): Promise<readonly ShareTarget[]> {
    const targets = await this.shares.list(tx, itemId);
    if (targets.length <= MOST_SHARES) return targets;
    throw new AppError('content.too_many_shares', `Something is shared ${MOST_SHARES} times at most`);
  }

  /** Those who are there, of the embed tenant that the item is of. */
  private describe(
    { tenantId }: Principal,
    { embedTenantName }: Shareable,
    targets: readonly ShareTarget[],
  ): Promise<Shares> {
    const groupIds = targets.flatMap(({ groupId }) => groupId ?? []);
    const embedUserIds = targets.flatMap(({ embedUserId }) => embedUserId ?? []);
    return this.bus.ask('describeColleagues', systemPrincipal(tenantId), { embedTenantName, groupIds, embedUserIds });
  }
}

const isSame = (one: ShareTarget, other: ShareTarget): boolean =>
  one.groupId === other.groupId && one.embedUserId === other.embedUserId;

const isAmong = ({ groups, users }: Shares, { groupId, embedUserId }: ShareTarget): boolean =>
  groupId === null ? users.some(({ id }) => id === embedUserId) : groups.some(({ id }) => id === groupId);

/** Those whom the targets name. */
const sharedWith = ({ groups, users }: Shares, targets: readonly ShareTarget[]): Shares => ({
  groups: groups.filter(({ id }) => targets.some(({ groupId }) => groupId === id)),
  users: users.filter(({ id }) => targets.some(({ embedUserId }) => embedUserId === id)),
});

const notThere = ({ groupId }: ShareTarget): AppError =>
  groupId === null
    ? new AppError('embed_user.not_found', 'The embed tenant has no such user')
    : new AppError('embed_group.not_found', 'The embed tenant has no such group');

function shareable(item: RankedItem): Shareable {
  const { embedTenantName } = item;
  if (embedTenantName !== null) return { ...item, embedTenantName };
  throw new AppError('content.not_of_embed_tenant', 'It belongs to no user of an embed tenant');
}

function targetIn({
  groupId = null,
  embedUserId = null,
}: Pick<BodyOf<'updateContentShares'>, 'groupId' | 'embedUserId'>): ShareTarget {
  if (groupId !== null && embedUserId === null) return { groupId, embedUserId };
  if (groupId === null && embedUserId !== null) return { groupId, embedUserId };
  throw invalidRequest('/body', 'must have exactly one of groupId and embedUserId');
}
