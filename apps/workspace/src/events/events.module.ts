import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { EmbeddingModule } from '../embedding/embedding.module';
import { EmbedContentRepository } from './embed-content.repository';
import { EndedTenants } from './ended-tenants.service';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';

@Module({
  imports: [ContentModule, EmbeddingModule],
  controllers: [EventsController],
  providers: [EmbedContentRepository, EndedTenants, EventsService],
})
export class EventsModule {}
