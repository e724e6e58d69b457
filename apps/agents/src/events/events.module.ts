import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents';
import { McpModule } from '../mcp';
import { ThreadsRepository } from '../threads';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';

@Module({
  imports: [AgentsModule, McpModule],
  controllers: [EventsController],
  providers: [EventsService, ThreadsRepository],
})
export class EventsModule {}
