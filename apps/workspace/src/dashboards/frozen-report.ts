import type { Schemas } from '@plinth/contract';
import { presentationIn } from '../reports';

/** A report as a version of a dashboard keeps it. */
export type FrozenReport = Omit<Schemas['ReportSnapshot'], 'id'>;

/** What of a report is frozen. */
export interface ReportToFreeze {
  id: number;
  name: string;
  version: number;
  title: string | null;
  description: string | null;
  jsonQuery: string | null;
  sqlQuery: string | null;
  meta: Record<string, unknown> | null;
}

/** A report as it is now. */
export function freeze({ id, version, meta, ...definition }: ReportToFreeze): FrozenReport {
  return { reportId: id, versionNumber: version, ...definition, ...presentationIn(meta), meta };
}
