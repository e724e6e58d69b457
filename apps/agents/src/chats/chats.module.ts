import { Module } from '@nestjs/common';
import { QueriesModule } from '@plinth/queries';
import { AgentsModule } from '../agents';
import { Askers } from '../askers';
import { ProviderModule } from '../provider';
import { SkillsModule } from '../skills';
import { ThreadsRepository, ThreadsService } from '../threads';
import { Charts, TurnMetrics, Turns } from '../turns';
import { AbandonedTurns } from './abandoned-turns.service';
import { ChatPlaces } from './chat-places.service';
import { ChatStreams } from './chat-streams.service';
import { ChatsController } from './chats.controller';
import { ChatsService } from './chats.service';

@Module({
  imports: [AgentsModule, ProviderModule, QueriesModule, SkillsModule],
  controllers: [ChatsController],
  providers: [
    AbandonedTurns,
    ChatsService,
    ChatPlaces,
    ChatStreams,
    Askers,
    ThreadsRepository,
    ThreadsService,
    TurnMetrics,
    Turns,
    Charts,
  ],
})
export class ChatsModule {}
