import { Module } from '@nestjs/common';
import { EventsModule } from './events/events.module';
import { DataModule } from './data/data.module';
import { ReportsModule } from './reports';

@Module({ imports: [EventsModule, ReportsModule, DataModule] })
export class WorkspaceModule {}
