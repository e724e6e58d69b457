import { BaseRepository, type Transaction } from '@plinth/database';
import { rightsOf, type Viewer } from '../content';
import type { ReportToFreeze } from './frozen-report';

export class ReportsToFreezeRepository extends BaseRepository {
  /** Those of the reports that the viewer may read. */
  readable(tx: Transaction, viewer: Viewer, ids: readonly number[]): Promise<ReportToFreeze[]> {
    const rights = rightsOf(viewer);
    return this.managerFor(tx).query<ReportToFreeze[]>(
      `${rights.with}
       select i.id, i.name, r.version, r.title, r.description, r.json_query as "jsonQuery", r.sql_query as "sqlQuery", r.meta
       from item i join report r on r.id = i.id
       where i.deployment_id = $1 and i.id = any($8::bigint[]) and ${rights.visible}`,
      [...rights.values, ids],
    );
  }
}
