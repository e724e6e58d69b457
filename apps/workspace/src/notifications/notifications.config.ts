import { integer, setting, type ConfigOf } from '@plinth/config';
import { mailSettings } from '@plinth/mail';
import { z } from 'zod';

/** What an operator can set on notifications. */
export const notificationSettings = {
  ...mailSettings,
  notificationConcurrency: setting(
    'PLINTH_NOTIFICATION_CONCURRENCY',
    integer(1, 64).default(4),
    'Runs of notifications that a process works on at a time; of one tenant half of them.',
  ),
  notificationMailsPerMinute: setting(
    'PLINTH_NOTIFICATION_MAILS_PER_MINUTE',
    integer(1, 100_000).default(300),
    'Mails of notifications that a tenant sends in a minute, over all processes. Others wait.',
  ),
  dashboardPath: setting(
    'PLINTH_NOTIFICATION_DASHBOARD_PATH',
    z.string().startsWith('/').includes('{dashboardPublicId}').default('/embed/dashboard/{dashboardPublicId}'),
    'Path to which links in mails lead below the address of the tenant, with {dashboardPublicId}, {deploymentId} and {workbookId}.',
  ),
};

export type NotificationConfig = ConfigOf<typeof notificationSettings>;
