import { Module } from '@nestjs/common';
import { AgentsModule } from './agents';
import { ChatsModule } from './chats/chats.module';
import { EventsModule } from './events/events.module';
import { McpModule } from './mcp';
import { ProviderModule } from './provider';
import { SkillsModule } from './skills';
import { SummariesModule } from './summaries/summaries.module';

@Module({
  imports: [AgentsModule, ProviderModule, SkillsModule, SummariesModule, ChatsModule, McpModule, EventsModule],
})
export class AgentsServiceModule {}
