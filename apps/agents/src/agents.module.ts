import { Module } from '@nestjs/common';
import { AgentsModule } from './agents';
import { EventsModule } from './events/events.module';
import { ProviderModule } from './provider';

@Module({ imports: [AgentsModule, ProviderModule, EventsModule] })
export class AgentsServiceModule {}
