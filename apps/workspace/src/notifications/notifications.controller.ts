import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { NotificationsService } from './notifications.service';
import { RecipientsService } from './recipients.service';
import { RunsService } from './runs.service';

@Controller()
export class NotificationsController implements Operations<'workspace', 'Notifications'> {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly recipients: RecipientsService,
    private readonly runs: RunsService,
  ) {}

  @Operation('getNotifications')
  getNotifications({ principal, path, query }: Call<'getNotifications'>) {
    return this.notifications.list(principal, path.deploymentId, query);
  }

  @Operation('createNotification')
  createNotification({ principal, path, body }: Call<'createNotification'>) {
    return this.notifications.create(principal, path.deploymentId, body);
  }

  @Operation('getNotification')
  getNotification({ principal, path }: Call<'getNotification'>) {
    return this.notifications.get(principal, path.deploymentId, path.id);
  }

  @Operation('updateNotification')
  updateNotification({ principal, path, body }: Call<'updateNotification'>) {
    return this.notifications.update(principal, path.deploymentId, path.id, body);
  }

  @Operation('deleteNotification')
  deleteNotification({ principal, path }: Call<'deleteNotification'>) {
    return this.notifications.delete(principal, path.deploymentId, path.id);
  }

  @Operation('getRecipients')
  getRecipients({ principal, path, query }: Call<'getRecipients'>) {
    return this.recipients.list(principal, path.deploymentId, path.id, query);
  }

  @Operation('addRecipients')
  addRecipients({ principal, path, body }: Call<'addRecipients'>) {
    return this.recipients.add(principal, path.deploymentId, path.id, body);
  }

  @Operation('removeRecipients')
  removeRecipients({ principal, path, body }: Call<'removeRecipients'>) {
    return this.recipients.remove(principal, path.deploymentId, path.id, body);
  }

  @Operation('getNotificationRuns')
  getNotificationRuns({ principal, path, query }: Call<'getNotificationRuns'>) {
    return this.runs.list(principal, path.deploymentId, path.id, query);
  }

  @Operation('runNotificationNow')
  runNotificationNow({ principal, path }: Call<'runNotificationNow'>) {
    return this.runs.runNow(principal, path.deploymentId, path.id);
  }

  @Operation('previewNotification')
  previewNotification({ principal, path }: Call<'previewNotification'>) {
    return this.runs.preview(principal, path.deploymentId, path.id);
  }
}
