import type { Database, ServiceSchema } from '@plinth/database';
import type { Claim, TaskStore } from '@plinth/tasks';

/** Tasks of a feature, as the suite of durable tasks examines them. */
export interface TaskSubject<Task extends Claim = Claim, Result = unknown> {
  kind: string;
  schema: ServiceSchema;
  table: string;
  /** Whether the table has `next_attempt_at`. */
  isScheduled: boolean;
  /** The tasks as one of several processes sees them. */
  storeOf(database: Database, processName: string): TaskStore<Task, Result>;
  /** Adds a task that may be done at once, whatever else is being done. */
  add(database: Database, tenantId: number): Promise<void>;
  result: Result;
}
