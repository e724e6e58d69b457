import { Module } from '@nestjs/common';
import { AsCodeModule } from './as-code/as-code.module';
import { DataModule } from './data/data.module';
import { EmbedPagesModule } from './embed-pages/embed-pages.module';
import { EmbeddingModule } from './embedding/embedding.module';
import { EventsModule } from './events/events.module';
import { ExportsModule } from './exports/exports.module';
import { FoldersModule } from './folders/folders.module';
import { NotificationsModule } from './notifications/notifications.module';
import { ReportsModule } from './reports';
import { ValidationModule } from './validation/validation.module';
import { WorkbooksModule } from './workbooks/workbooks.module';
import { WorkspaceFeedModule } from './workspace-feed/workspace-feed.module';

@Module({
  imports: [
    EventsModule,
    FoldersModule,
    WorkspaceFeedModule,
    WorkbooksModule,
    ReportsModule,
    DataModule,
    ExportsModule,
    AsCodeModule,
    ValidationModule,
    NotificationsModule,
    EmbeddingModule,
    EmbedPagesModule,
  ],
})
export class WorkspaceModule {}
