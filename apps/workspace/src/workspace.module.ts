import { Module } from '@nestjs/common';
import { EventsModule } from './events/events.module';
import { WorkbooksModule } from './workbooks/workbooks.module';

@Module({ imports: [EventsModule, WorkbooksModule] })
export class WorkspaceModule {}
