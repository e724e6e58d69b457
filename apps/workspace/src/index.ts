import type { ServiceSchema } from '@plinth/database';
import { statefulService } from '@plinth/host';
import { workspaceSettings } from './workspace.config';
import { WorkspaceModule } from './workspace.module';

export const workspaceSchema: ServiceSchema = {
  service: 'workspace',
  entities: [],
  migrations: { preDeploy: [], postDeploy: [] },
};

/** The workspace service: folders, workbooks, reports, dashboards and notifications. */
export const workspace = statefulService({
  schema: workspaceSchema,
  settings: workspaceSettings,
  module: WorkspaceModule,
});
