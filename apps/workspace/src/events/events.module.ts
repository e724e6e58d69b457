import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';

@Module({ imports: [ContentModule], controllers: [EventsController], providers: [EventsService] })
export class EventsModule {}
