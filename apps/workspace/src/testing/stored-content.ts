import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { managerFor } from '@plinth/database';
import { ItemsRepository, newPublicId, type ItemType } from '../content';
import type { WorkspaceFixture } from './workspace-fixture';

const items = new ItemsRepository();

/** Where a new item lies: in everything of `path`, from the root down. */
interface Place {
  deploymentId: number;
  path?: readonly number[];
}

interface ReportFields {
  name?: string;
  version?: number;
  jsonQuery?: string;
  sqlQuery?: string;
  meta?: object;
}

/** Content as it stands in the database, without the operations that make it. */
export class StoredContent {
  constructor(private readonly workspace: WorkspaceFixture) {}

  folder(owner: Principal, place: Place, name = 'Folder'): Promise<number> {
    return this.insert(owner, place, 'FOLDER', name);
  }

  async report(owner: Principal, place: Place, fields: ReportFields = {}): Promise<number> {
    const { name = 'Report', version = 1, jsonQuery = null, sqlQuery = null, meta = null } = fields;
    const id = await this.insert(owner, place, 'REPORT', name);
    await this.workspace.database.transaction(owner.tenantId, async (tx) => {
      await managerFor(tx).query(
        `insert into report (id, tenant_id, deployment_id, public_id, version, json_query, sql_query, meta)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [id, owner.tenantId, place.deploymentId, newPublicId(), version, jsonQuery, sqlQuery, JSON.stringify(meta)],
      );
    });
    return id;
  }

  /** Rows of a statement of the tenant. */
  rows<Row>(tenantId: number, statement: string, values: unknown[] = []): Promise<Row[]> {
    return this.workspace.database.transaction(tenantId, (tx) => managerFor(tx).query<Row[]>(statement, values));
  }

  /** Gives a user one more right. */
  allow(user: { userId: number | null }, type: 'Folder' | 'Workbook' | 'Report', id: number, level: Level): void {
    const { policies } = this.workspace;
    const userId = user.userId ?? 0;
    policies.set(userId, [...(policies.get(userId) ?? []), { resourceType: type, resourceId: id, level }]);
  }

  private insert(owner: Principal, { deploymentId, path = [] }: Place, type: ItemType, name: string): Promise<number> {
    const { tenantId, userId: ownerId } = owner;
    return this.workspace.database.transaction(tenantId, async (tx) => {
      const item = { tenantId, deploymentId, type, name, ownerId, parentId: path.at(-1) ?? null, path: [...path] };
      return (await items.insert(tx, item)).id;
    });
  }
}

type Level = Schemas['ContentPolicy']['level'];
