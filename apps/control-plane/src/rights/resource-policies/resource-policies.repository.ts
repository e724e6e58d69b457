import type { Action } from '@plinth/auth';
import { BaseRepository, type Transaction } from '@plinth/database';
import { IsNull, MoreThan } from 'typeorm';
import { UserGroup } from '../../people/user-groups/user-group.entity';
import { User } from '../../people/users/user.entity';
import { ResourcePolicy } from './resource-policy.entity';

export type Resource = Pick<ResourcePolicy, 'resourceType' | 'resourceId'>;

/** A user, a group, or everybody when both are null. */
export type Holder = Pick<ResourcePolicy, 'userId' | 'groupId'>;

export class ResourcePoliciesRepository extends BaseRepository {
  /** Oldest first, those after `afterId` when it is given. */
  list(tx: Transaction, resource: Resource, limit: number, afterId?: number): Promise<ResourcePolicy[]> {
    return this.managerFor(tx).find(ResourcePolicy, {
      where: { ...resource, ...(afterId !== undefined && { id: MoreThan(afterId) }) },
      order: { id: 'ASC' },
      take: limit,
    });
  }

  async set(tx: Transaction, tenantId: number, policy: Resource & Holder & { action: Action }): Promise<void> {
    const columns = ['tenantId', 'resourceType', 'resourceId', 'userId', 'groupId'];
    await this.managerFor(tx).upsert(ResourcePolicy, { ...policy, tenantId, updatedAt: new Date() }, columns);
  }

  async clear(tx: Transaction, { userId, groupId, ...resource }: Resource & Holder): Promise<void> {
    const holder = { userId: userId ?? IsNull(), groupId: groupId ?? IsNull() };
    await this.managerFor(tx).delete(ResourcePolicy, { ...resource, ...holder });
  }

  /** Whether the holder exists; if so, until the transaction ends. */
  async holdHolder(tx: Transaction, { userId, groupId }: Holder): Promise<boolean> {
    const id = userId ?? groupId;
    if (id === null) return true;
    const lock = { mode: 'for_key_share' } as const;
    const options = { select: { id: true }, where: { id }, lock };
    const manager = this.managerFor(tx);
    return (
      (userId === null ? await manager.findOne(UserGroup, options) : await manager.findOne(User, options)) !== null
    );
  }
}
