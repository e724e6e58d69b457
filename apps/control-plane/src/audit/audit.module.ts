import { Module } from '@nestjs/common';
import { EventsController } from '../events/events.controller';
import { EventsService } from '../events/events.service';
import { AuditEventsRepository } from './audit-events.repository';
import { AuditLogService } from './audit-log.service';

@Module({
  controllers: [EventsController],
  providers: [EventsService, AuditLogService, AuditEventsRepository],
  exports: [AuditLogService],
})
export class AuditModule {}
