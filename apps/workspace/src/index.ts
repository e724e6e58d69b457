import { statefulService } from '@plinth/host';
import { workspaceSettings } from './workspace.config';
import { WorkspaceModule } from './workspace.module';

/** The workspace service: folders, workbooks, reports, dashboards and notifications. */
export const workspace = statefulService({
  schema: { service: 'workspace', entities: [], migrations: { preDeploy: [], postDeploy: [] } },
  settings: workspaceSettings,
  module: WorkspaceModule,
});
