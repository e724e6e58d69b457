import { notificationSettings } from './notifications/notifications.config';
import { accessSettings, databaseSettings, processSettings } from '@plinth/config';
import { pictureSettings } from './pictures';
import { pythonSettings } from './python';

/** Everything an operator can set on the workspace service. */
export const workspaceSettings = {
  ...processSettings,
  ...accessSettings,
  ...databaseSettings,
  ...notificationSettings,
  ...pictureSettings,
  ...pythonSettings,
};
