import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents';
import { McpModule } from '../mcp';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';

@Module({ imports: [AgentsModule, McpModule], controllers: [EventsController], providers: [EventsService] })
export class EventsModule {}
