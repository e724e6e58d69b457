import type { ObjectId } from '@plinth/git';
import type { SyncDetails } from './dbt-sync.entity';

/** How a run ends. */
export type SyncOutcome =
  | { status: 'COMPLETED'; commit: ObjectId; details: SyncDetails }
  | { status: 'FAILED'; error: string; phase: string | null };

/** What is wrong with what a run was given. The message is for people, and ends the run. */
export class SyncFailure extends Error {
  override readonly name = 'SyncFailure';
}
