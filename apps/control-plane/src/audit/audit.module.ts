import { Module } from '@nestjs/common';
import { EventsController } from '../events/events.controller';
import { EventsService } from '../events/events.service';
import { AuditEventsRepository } from './audit-events.repository';

@Module({ controllers: [EventsController], providers: [EventsService, AuditEventsRepository] })
export class AuditModule {}
