import { Module } from '@nestjs/common';
import type { ConfigOf, databaseSettings } from '@plinth/config';
import { SecretBox } from '@plinth/database';
import { CONFIG } from '@plinth/host';
import { ContentModule } from '../content';
import { PicturesModule } from '../pictures';
import { QueriesModule } from '@plinth/queries';
import { DashboardAddresses } from './dashboard-addresses.repository';
import { DeliveriesRepository } from './deliveries.repository';
import { FiguresRepository } from './figures.repository';
import { MailDirectory } from './mail-directory.service';
import { MailMetrics } from './mail-metrics';
import { NotificationsController } from './notifications.controller';
import { NotificationsRepository } from './notifications.repository';
import { NotificationsService } from './notifications.service';
import { RecipientResolver } from './recipient-resolver.service';
import { RecipientsRepository } from './recipients.repository';
import { RecipientsService } from './recipients.service';
import { RunLetters } from './run-letters.service';
import { RunMails } from './run-mails.service';
import { RunPictures } from './run-pictures.service';
import { RunPlanner } from './run-planner.service';
import { RunRunner } from './run-runner.service';
import { RunSummaries } from './run-summaries.service';
import { RunsRepository } from './runs.repository';
import { RunsService } from './runs.service';
import { Scheduler } from './scheduler.service';
import { SchedulerAlarm } from './scheduler-alarm';
import { UnsubscribeController } from './unsubscribe.controller';
import { UnsubscribeService } from './unsubscribe.service';
import { UnsubscribeTokens } from './unsubscribe-tokens';

const secrets = {
  provide: SecretBox,
  inject: [CONFIG],
  useFactory: ({ encryptionKeys }: ConfigOf<typeof databaseSettings>) => new SecretBox(encryptionKeys),
};

/** Dashboards that are sent by mail, again and again. */
@Module({
  imports: [ContentModule, PicturesModule, QueriesModule],
  controllers: [NotificationsController, UnsubscribeController],
  providers: [
    secrets,
    DashboardAddresses,
    DeliveriesRepository,
    FiguresRepository,
    MailDirectory,
    MailMetrics,
    NotificationsRepository,
    NotificationsService,
    RecipientResolver,
    RecipientsRepository,
    RecipientsService,
    RunLetters,
    RunMails,
    RunPictures,
    RunPlanner,
    RunRunner,
    RunSummaries,
    RunsRepository,
    RunsService,
    Scheduler,
    SchedulerAlarm,
    UnsubscribeService,
    UnsubscribeTokens,
  ],
})
export class NotificationsModule {}
