import { BaseRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { rightsOf, type Viewer } from '../content';
import { LIMITS } from './content-files';
import type { DeclaredContent } from './declared';
import type { Holders } from './import-checks';
import type { StoredDetails, StoredItem } from './stored-item';
import { StoredTree } from './stored-tree';

export class StoredContentRepository extends BaseRepository {
  /**
   * Everything that the viewer can see of the deployment.
   *
   * @throws AppError `workspace.too_large` (409)
   */
  async tree(tx: Transaction, viewer: Viewer): Promise<StoredTree> {
    const rights = rightsOf(viewer);
    const items = await this.managerFor(tx).query<StoredItem[]>(
      `${rights.with}
       select i.id, i.deployment_id as "deploymentId", i.type, i.name, i.parent_id as "parentId", i.path, i.position,
         i.created_at as "createdAt", ${rights.rank} as rank, r.public_id as "publicId", w.slug
       from item i left join report r on r.id = i.id left join workbook w on w.id = i.id
       where i.deployment_id = $1 and ${rights.visible} order by i.id limit $8`,
      [...rights.values, LIMITS.files + 1],
    );
    if (items.length <= LIMITS.files) return new StoredTree(items);
    throw new AppError('workspace.too_large', `The workspace has more than ${LIMITS.files} things`);
  }

  /** Which of an archive's slugs and public ids are taken. */
  async holders(tx: Transaction, deploymentId: number, { workbooks, reports }: DeclaredContent): Promise<Holders> {
    const slugs = [...workbooks.values()].map(({ slug }) => slug);
    const publicIds = reports.map(({ publicId }) => publicId);
    const rows = await this.managerFor(tx).query<{ slug: string | null; publicId: string | null }[]>(
      `select slug, null as "publicId" from workbook where deployment_id = $1 and slug = any($2::text[])
       union all select null, public_id from report where public_id = any($3::text[])`,
      [deploymentId, slugs, publicIds],
    );
    return {
      slugs: new Set(rows.flatMap(({ slug }) => slug ?? [])),
      publicIds: new Set(rows.flatMap(({ publicId }) => publicId ?? [])),
    };
  }

  async details(tx: Transaction, ids: readonly number[]): Promise<Map<number, StoredDetails>> {
    const rows = await this.managerFor(tx).query<StoredDetails[]>(
      `select i.id, coalesce(w.meta, r.meta) as meta, w.dashboard_draft as draft,
         case when v.id is not null
           then json_build_object('title', v.title, 'description', v.description, 'config', v.config) end as published,
         r.title, r.source, r.json_query as "jsonQuery", r.sql_query as "sqlQuery", r.pivot_items as "pivotItems"
       from item i left join report r on r.id = i.id left join workbook w on w.id = i.id
       left join lateral (
         select v.id, v.title, v.description, v.config from dashboard d join dashboard_version v on v.dashboard_id = d.id
         where d.workbook_id = w.id order by v.version_number desc limit 1
       ) v on true
       where i.id = any($1::bigint[])`,
      [ids],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }
}
