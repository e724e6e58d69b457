import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { CONFIG } from '@plinth/host';
import { DashboardAddresses } from './dashboard-addresses.repository';
import { MailDirectory } from './mail-directory.service';
import type { NotificationConfig } from './notifications.config';
import type { Notification } from './notifications.repository';
import type { RunLetter } from './run-mails.service';
import type { ClaimedRun } from './runs.repository';
import { inWords } from './schedule';

/** Finds what stands in all mails of a run. */
@Injectable()
export class RunLetters {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) private readonly config: NotificationConfig,
    private readonly dashboards: DashboardAddresses,
    private readonly directory: MailDirectory,
  ) {}

  async of({ tenantId, deploymentId, dueAt }: ClaimedRun, notification: Notification): Promise<RunLetter> {
    const { baseUrl } = await this.directory.users(tenantId, {});
    const { publicId, workbookId } = await this.database.transaction(tenantId, (tx) =>
      this.dashboards.find(tx, notification.dashboardId),
    );
    const names: Record<string, string> = {
      dashboardPublicId: publicId,
      deploymentId: `${deploymentId}`,
      workbookId: `${workbookId}`,
    };
    const path = this.config.dashboardPath.replace(/\{(\w+)\}/g, (all, name: string) => names[name] ?? all);
    const { timeZone } = notification;
    const when = dueAt.toLocaleString('en-GB', { timeZone, dateStyle: 'long', timeStyle: 'short' });
    return {
      baseUrl,
      dashboardUrl: `${baseUrl}${path}`,
      when: `${when} (${timeZone})`,
      schedule: `${inWords(notification)}, ${timeZone}`,
    };
  }
}
