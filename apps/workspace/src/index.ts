import { statefulService } from '@plinth/host';
import { workspaceSettings } from './workspace.config';
import { WorkspaceModule } from './workspace.module';
import { workspaceSchema } from './workspace.schema';

/** The workspace service: folders, workbooks, reports, dashboards and notifications. */
export const workspace = statefulService({
  schema: workspaceSchema,
  settings: workspaceSettings,
  module: () => WorkspaceModule,
});

export { workspaceSchema, workspaceSettings };
