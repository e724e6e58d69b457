import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { ContentTransfers } from './content-transfers.service';
import { FeedItems } from './feed-items.service';
import { FeedItemsRepository } from './feed-items.repository';
import { WorkspaceChanges } from './workspace-changes.service';
import { WorkspaceFeedController } from './workspace-feed.controller';
import { WorkspaceFeedService } from './workspace-feed.service';

@Module({
  imports: [ContentModule],
  controllers: [WorkspaceFeedController],
  providers: [WorkspaceFeedService, WorkspaceChanges, ContentTransfers, FeedItems, FeedItemsRepository],
  exports: [FeedItems],
})
export class WorkspaceFeedModule {}
