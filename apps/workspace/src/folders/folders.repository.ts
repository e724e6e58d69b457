import { BaseRepository, type Reader } from '@plinth/database';
import { itemColumns, rightsOf, type Item, type Viewer } from '../content';

/** A folder with the number of readable reports directly in it. */
export interface ReportFolder {
  id: number;
  name: string;
  reportsCount: number;
}

export class FoldersRepository extends BaseRepository {
  /** The folders with these ids, from the root down. */
  ancestors(from: Reader, ids: readonly number[]): Promise<Item[]> {
    return this.prepared<Item>(
      from,
      `select ${itemColumns} from item i where i.id = any($1::bigint[]) order by cardinality(i.path)`,
      [ids],
    );
  }

  /** All folders that are seen, by their ids. */
  withReports(from: Reader, who: Viewer, limit: number, afterId = 0): Promise<ReportFolder[]> {
    const rights = rightsOf(who, 'in folders');
    return this.planned<ReportFolder>(
      from,
      `${rights.with}, folder as (
         select i.id, i.name from item i
         where i.deployment_id = $1 and i.type = 'FOLDER' and i.id > $8 and ${rights.visible}
         order by i.id limit $9
       )
       select f.id, f.name, (
         select count(*)::int from item i where i.parent_id = f.id and i.type = 'REPORT' and ${rights.visible}
       ) as "reportsCount"
       from folder f order by f.id`,
      [...rights.values, afterId, limit],
    );
  }
}
