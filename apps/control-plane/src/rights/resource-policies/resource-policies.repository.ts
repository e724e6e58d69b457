import type { Action } from '@plinth/auth';
import { BaseRepository, type Transaction } from '@plinth/database';
import { IsNull, MoreThan } from 'typeorm';
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
}
