import { Module } from '@nestjs/common';
import { QueriesModule } from '@plinth/queries';
import { AgentsModule } from '../agents';
import { AgentAnswers } from './agent-answers.service';
import { AgentTools } from './agent-tools.service';
import { DashboardTools } from './dashboard-tools.service';
import { DataTools } from './data-tools.service';
import { McpController } from './mcp.controller';
import { McpDefaultsRepository } from './mcp-defaults.repository';
import { McpDefaultsService } from './mcp-defaults.service';
import { McpService } from './mcp.service';
import { McpTools } from './mcp-tools.service';

@Module({
  imports: [AgentsModule, QueriesModule],
  controllers: [McpController],
  providers: [
    McpService,
    McpTools,
    DataTools,
    AgentTools,
    DashboardTools,
    AgentAnswers,
    McpDefaultsService,
    McpDefaultsRepository,
  ],
  exports: [McpDefaultsRepository],
})
export class McpModule {}
