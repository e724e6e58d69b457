import { Module } from '@nestjs/common';
import { CommentsModule } from '../comments';
import { SessionNoticesModule } from '../session-notices';
import { SessionsModule } from '../sessions';
import { EmbedUsersModule } from '../users';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';

@Module({
  imports: [CommentsModule, EmbedUsersModule, SessionsModule, SessionNoticesModule],
  controllers: [EventsController],
  providers: [EventsService],
})
export class EventsModule {}
