import { taskStoreOf } from '@plinth/database';
import type { TaskSubject } from '@plinth/testing';
import { NotificationsRepository } from '../notifications/notifications.repository';
import { RunsRepository, type ClaimedRun, type RunResult } from '../notifications/runs.repository';
import { workspaceSchema } from '../workspace.schema';
import { putDashboard } from './dashboard-content';

const schedule = { cron: '0 0 * * *', timeZone: 'UTC', nextRunAt: new Date(), isEnabled: true, sendsMail: true };
const contents = {
  format: 'png',
  hasAiSummary: false,
  filters: null,
  timeGrains: null,
  memberSwitchers: null,
} as const;

export const subject: TaskSubject<ClaimedRun, RunResult> = {
  kind: 'notification',
  schema: workspaceSchema,
  table: 'notification_run',
  isScheduled: true,
  storeOf: (database) => taskStoreOf(database, new RunsRepository()),
  result: undefined,
  add: async (database, tenantId) => {
    const where = { tenantId, deploymentId: 1 };
    const { dashboardId } = await putDashboard(database, where);
    await database.transaction(tenantId, async (tx) => {
      const notification = { ...where, ...schedule, ...contents, dashboardId, createdBy: null };
      const { id: notificationId } = await new NotificationsRepository().insert(tx, notification);
      const run = { ...where, notificationId, cause: 'SCHEDULE', requestedBy: null, dueAt: new Date() } as const;
      await new RunsRepository().add(tx, run);
    });
  },
};
