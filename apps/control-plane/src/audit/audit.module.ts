import { Module } from '@nestjs/common';
import { EventsController } from '../events/events.controller';
import { EventsService } from '../events/events.service';
import { TenantSettingsModule } from '../tenant-settings/tenant-settings.module';
import { AuditEventsRepository } from './audit-events.repository';
import { AuditExportRepository } from './audit-export.repository';
import { AuditExportService } from './audit-export.service';
import { AuditLogService } from './audit-log.service';
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
    DenialsService,
  ],
  exports: [AuditLogService],
})
export class AuditModule {}
