import { Module } from '@nestjs/common';
import { EventsModule } from './events/events.module';
import { ReportsModule } from './reports';

@Module({ imports: [EventsModule, ReportsModule] })
export class WorkspaceModule {}
