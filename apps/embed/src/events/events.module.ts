import { Module } from '@nestjs/common';
import { EmbedUsersModule } from '../users';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';

@Module({ imports: [EmbedUsersModule], controllers: [EventsController], providers: [EventsService] })
export class EventsModule {}
