import { Module } from '@nestjs/common';
import { AgentRights } from './agent-rights.service';
import { AgentsController } from './agents.controller';
import { AgentsRepository } from './agents.repository';
import { AgentsService } from './agents.service';

@Module({
  controllers: [AgentsController],
  providers: [AgentsService, AgentsRepository, AgentRights],
  exports: [AgentsRepository, AgentsService, AgentRights],
})
export class AgentsModule {}
