import { Inject, Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import type { EmbedConfig } from '../embed.config';
import { GroupMembersRepository } from '../memberships';
import { SessionNotices } from '../session-notices';
import { EmbedTenantsRepository } from '../tenants';
import type { EmbedUser } from './embed-user.entity';
import { EmbedUsersRepository, type AttributeRow, type EmbedProfile, type Place } from './embed-users.repository';

/** How an embed user shall be. What is absent stays as it is; an empty list is one. */
export interface DesiredUser extends EmbedProfile {
  /** Ids of groups of the account. */
  accountGroupIds?: readonly number[] | undefined;
  /** Names of groups of the embed tenant. */
  tenantGroups?: readonly string[] | undefined;
  attributes?: readonly AttributeRow[] | undefined;
}

/** Brings embed users to what a host application says of them. Embed tenants come into being on the way. */
@Injectable()
export class Provisioning {
  constructor(
    private readonly tenants: EmbedTenantsRepository,
    private readonly users: EmbedUsersRepository,
    private readonly members: GroupMembersRepository,
    private readonly notices: SessionNotices,
    @Inject(CONFIG) private readonly config: Pick<EmbedConfig, 'embedUsersMax'>,
  ) {}

  /** @throws AppError `embed_group.unknown_name` (400), `embed_user.limit_reached` (429) */
  async apply(
    tx: Transaction,
    { tenantId, name }: { tenantId: number; name: string },
    desired: DesiredUser,
  ): Promise<EmbedUser> {
    const user =
      (await this.users.updateNamed(tx, tenantId, name, desired)) ??
      (await this.upsert(tx, { tenantId, embedTenantId: await this.tenants.ensure(tx, tenantId, name) }, desired));
    const { embedTenantId } = user;
    const { accountGroupIds, tenantGroups, attributes = [] } = desired;
    if (accountGroupIds) await this.users.replaceAccountGroups(tx, user, accountGroupIds);
    if (tenantGroups) {
      const member = { tenantId, embedTenantId, embedUserId: user.id };
      if (await this.members.replaceOf(tx, member, tenantGroups)) this.notices.announce(tx, tenantId);
    }
    if (attributes.length > 0) await this.users.setAttributes(tx, user, attributes);
    return user;
  }

  /**
   * The users with these external ids; makes those who are not there. The embed tenant has to be held.
   *
   * @throws AppError `embed_user.limit_reached` (429)
   */
  async ensureAll(tx: Transaction, place: Place, externalIds: readonly string[]): Promise<EmbedUser[]> {
    const there = await this.users.listById(tx, place.embedTenantId, { ids: [], externalIds });
    if (there.length === externalIds.length) return there;
    await this.users.holdNumber(tx, place.tenantId);
    const known = await this.users.listById(tx, place.embedTenantId, { ids: [], externalIds });
    const names = new Set(known.map(({ externalId }) => externalId));
    const missing = externalIds.filter((externalId) => !names.has(externalId));
    const made = await this.users.insertAll(tx, place, missing, this.config.embedUsersMax);
    if (made.length < missing.length) throw this.limitReached();
    return [...known, ...made];
  }

  private async upsert(tx: Transaction, place: Place, profile: EmbedProfile): Promise<EmbedUser> {
    const there = await this.users.update(tx, place, profile);
    if (there) return there;
    await this.users.holdNumber(tx, place.tenantId);
    const limit = this.config.embedUsersMax;
    const user = (await this.users.update(tx, place, profile)) ?? (await this.users.insert(tx, place, profile, limit));
    if (user) return user;
    throw this.limitReached();
  }

  private limitReached(): AppError {
    return new AppError('embed_user.limit_reached', `An account has at most ${this.config.embedUsersMax} embed users`);
  }
}
