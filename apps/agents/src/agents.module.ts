import { Module } from '@nestjs/common';
import { AgentsModule } from './agents';
import { ChatsModule } from './chats/chats.module';
import { EventsModule } from './events/events.module';
import { McpModule } from './mcp';
import { ProviderModule } from './provider';
import { SkillsModule } from './skills';

@Module({ imports: [AgentsModule, ProviderModule, ChatsModule, McpModule, EventsModule] })
export class AgentsServiceModule {}
