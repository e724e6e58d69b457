import { Module } from '@nestjs/common';
import type { ConfigOf, databaseSettings } from '@plinth/config';
import { CONFIG } from '@plinth/host';
import { EventsController } from './events/events.controller';
import { EventsService } from './events/events.service';
import { TenancyDomain } from '../tenancy';
import { AuditCheckpointer } from './audit-log/audit-checkpointer';
import { AuditCheckpointsRepository } from './audit-log/audit-checkpoints.repository';
import { AuditCheckpointsService } from './audit-log/audit-checkpoints.service';
import { AuditEventsRepository } from './audit-log/audit-events.repository';
import { AuditExportRepository } from './audit-log/audit-export.repository';
import { AuditExportService } from './audit-log/audit-export.service';
import { AuditLogService } from './audit-log/audit-log.service';
import { CheckpointSigner } from './audit-log/checkpoint-signer';
import { DenialsService } from './audit-log/denials.service';
import { AuditLogsController } from './audit-log/audit-logs.controller';

@Module({
  imports: [TenancyDomain],
  controllers: [EventsController, AuditLogsController],
  providers: [
    EventsService,
    AuditLogService,
    AuditEventsRepository,
    AuditExportService,
    AuditExportRepository,
    AuditCheckpointsService,
    AuditCheckpointsRepository,
    AuditCheckpointer,
    {
      provide: CheckpointSigner,
      inject: [CONFIG],
      useFactory: ({ encryptionKeys }: ConfigOf<typeof databaseSettings>) => new CheckpointSigner(encryptionKeys),
    },
    DenialsService,
  ],
})
export class AuditDomain {}
