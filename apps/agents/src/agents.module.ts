import { Module } from '@nestjs/common';
import { AgentsModule } from './agents';
import { EventsModule } from './events/events.module';

@Module({ imports: [AgentsModule, EventsModule] })
export class AgentsServiceModule {}
