import { Module } from '@nestjs/common';
import { DataModule } from './data/data.module';
import { EventsModule } from './events/events.module';
import { FoldersModule } from './folders/folders.module';
import { ReportsModule } from './reports';
import { WorkbooksModule } from './workbooks/workbooks.module';
import { WorkspaceFeedModule } from './workspace-feed/workspace-feed.module';

@Module({ imports: [EventsModule, FoldersModule, WorkspaceFeedModule, WorkbooksModule, ReportsModule, DataModule] })
export class WorkspaceModule {}
