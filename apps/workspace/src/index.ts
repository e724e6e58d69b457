import { DropIntents1701200000000, type ServiceSchema } from '@plinth/database';
import { statefulService } from '@plinth/host';
import { workspaceSettings } from './workspace.config';
import { WorkspaceModule } from './workspace.module';

export const workspaceSchema: ServiceSchema = {
  service: 'workspace',
  entities: [],
  migrations: { preDeploy: [], postDeploy: [DropIntents1701200000000] },
};

/** The workspace service: folders, workbooks, reports, dashboards and notifications. */
export const workspace = statefulService({
  schema: workspaceSchema,
  settings: workspaceSettings,
  module: WorkspaceModule,
});
