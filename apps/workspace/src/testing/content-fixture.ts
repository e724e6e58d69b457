import { randomUUID } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { managerFor, type Database } from '@plinth/database';
import { isEmbedUser, ItemsRepository, type ItemType, type Ownership } from '../content';
import type { WorkspaceFixture } from './workspace-fixture';

const items = new ItemsRepository();

export interface Where {
  tenantId: number;
  deploymentId: number;
}

/** Puts a thing into the tree, whoever may, with nothing in it. */
export async function put(
  database: Database,
  { tenantId, deploymentId }: Where,
  type: ItemType,
  {
    name = type,
    parent = null,
    owner = null,
  }: { name?: string; parent?: number | null; owner?: Principal | null } = {},
): Promise<number> {
  return database.transaction(tenantId, async (tx) => {
    const manager = managerFor(tx);
    const [around] = await manager.query<{ path: number[] }[]>('select path from item where id = $1', [parent]);
    const path = parent === null ? [] : [...(around?.path ?? []), parent];
    const { id } = await items.insert(tx, {
      tenantId,
      deploymentId,
      type,
      name,
      parentId: parent,
      path,
      ...ownership(owner),
    });
    if (type === 'WORKBOOK') {
      await manager.query(
        `insert into workbook (id, tenant_id, deployment_id, meta, calculated_fields) values ($1, $2, $3, '{}', '{}')`,
        [id, tenantId, deploymentId],
      );
    }
    if (type === 'REPORT') {
      await manager.query('insert into report (id, tenant_id, deployment_id, public_id) values ($1, $2, $3, $4)', [
        id,
        tenantId,
        deploymentId,
        randomUUID().replaceAll('-', '').slice(0, 12),
      ]);
    }
    return id;
  });
}

function ownership(owner: Principal | null): Ownership {
  if (!owner || !isEmbedUser(owner))
    return { ownerId: owner?.userId ?? null, embedOwnerId: null, embedTenantName: null };
  const { embedUserId: embedOwnerId, embedTenantName } = owner.embed;
  return { ownerId: null, embedOwnerId, embedTenantName };
}

const resourceTypes = { FOLDER: 'Folder', WORKBOOK: 'Workbook', REPORT: 'Report' } as const;

/** Gives a user a level on a thing, or on all of a kind. */
export function grant(
  { policies }: WorkspaceFixture,
  { userId }: { userId: number },
  [type, resourceId, level]: [ItemType, number | null, Schemas['ContentPolicy']['level']],
): void {
  const resourceType = resourceTypes[type];
  policies.set(userId, [...(policies.get(userId) ?? []), { resourceType, resourceId, level }]);
}
