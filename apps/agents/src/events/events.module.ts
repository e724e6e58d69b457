import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';

@Module({ imports: [AgentsModule], controllers: [EventsController], providers: [EventsService] })
export class EventsModule {}
