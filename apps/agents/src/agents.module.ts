import { Module } from '@nestjs/common';
import { AgentsModule } from './agents';
import { ChatsModule } from './chats/chats.module';
import { EventsModule } from './events/events.module';
import { ProviderModule } from './provider';

@Module({ imports: [AgentsModule, ProviderModule, ChatsModule, EventsModule] })
export class AgentsServiceModule {}
