import { Module } from '@nestjs/common';
import { EventsModule } from './events/events.module';
import { FoldersModule } from './folders/folders.module';
import { WorkbooksModule } from './workbooks/workbooks.module';
import { WorkspaceFeedModule } from './workspace-feed/workspace-feed.module';

@Module({ imports: [EventsModule, FoldersModule, WorkspaceFeedModule, WorkbooksModule] })
export class WorkspaceModule {}
