import { Module } from '@nestjs/common';
import type { ConfigOf, databaseSettings } from '@plinth/config';
import { CONFIG } from '@plinth/host';
import { EventsController } from '../events/events.controller';
import { EventsService } from '../events/events.service';
import { TenantSettingsModule } from '../tenant-settings/tenant-settings.module';
import { AuditCheckpointer } from './audit-checkpointer';
import { AuditCheckpointsRepository } from './audit-checkpoints.repository';
import { AuditCheckpointsService } from './audit-checkpoints.service';
import { AuditEventsRepository } from './audit-events.repository';
import { AuditExportRepository } from './audit-export.repository';
import { AuditExportService } from './audit-export.service';
import { AuditLogService } from './audit-log.service';
import { CheckpointSigner } from './checkpoint-signer';
import { DenialsService } from './denials.service';
import { AuditLogsController } from './audit-logs.controller';

@Module({
  imports: [TenantSettingsModule],
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
  exports: [AuditLogService],
})
export class AuditModule {}
