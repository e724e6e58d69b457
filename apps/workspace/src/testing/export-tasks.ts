import type { TaskSubject } from '@plinth/testing';
import type { ClaimedExport } from '../exports/export-job';
import { exportStoreOf } from '../exports/export-runner';
import { ExportsRepository } from '../exports/exports.repository';
import type { Picture } from '../pictures';
import { workspaceSchema } from '../workspace.schema';
import { putDashboard } from './dashboard-content';

let users = 0;

export const subject: TaskSubject<ClaimedExport, Picture> = {
  kind: 'export',
  schema: workspaceSchema,
  table: 'dashboard_export',
  isScheduled: false,
  storeOf: (database) => exportStoreOf(database, new ExportsRepository()),
  result: { bytes: Buffer.from('picture'), contentType: 'image/png', title: 'Orders' },
  add: async (database, tenantId) => {
    const { dashboardId } = await putDashboard(database, { tenantId, deploymentId: 1 });
    const userId = (users += 1);
    const order = { tenantId, deploymentId: 1, dashboardId, submittedBy: userId, controls: {}, format: 'png' } as const;
    await database.transaction(tenantId, (tx) =>
      new ExportsRepository().insert(tx, { ...order, subject: { type: 'USER', userId } }),
    );
  },
};
