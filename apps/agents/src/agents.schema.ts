import { DropIntents1701200000000, type ServiceSchema } from '@plinth/database';
import { Agent } from './agents';
import { CreateAgents1701500000000 } from './migrations/pre-deploy/1701500000000-CreateAgents.migration';
import { CreateAiProvider1701510000000 } from './migrations/pre-deploy/1701510000000-CreateAiProvider.migration';
import { CreateChats1701520000000 } from './migrations/pre-deploy/1701520000000-CreateChats.migration';
import { CreateMcpDefaults1701550000000 } from './migrations/pre-deploy/1701550000000-CreateMcpDefaults.migration';
import { IndexChatMessages1701560000000 } from './migrations/pre-deploy/1701560000000-IndexChatMessages.migration';
import { McpDefaults } from './mcp';
import { AiProvider } from './provider';

export const agentsSchema: ServiceSchema = {
  service: 'agents',
  entities: [Agent, AiProvider, McpDefaults],
  retention: [
    { table: 'chat_thread', expired: `updated_at < now() - interval '90 days'` },
    { table: 'ai_usage', expired: `month < (now() - interval '25 months')::date` },
  ],
  migrations: {
    preDeploy: [
      CreateAgents1701500000000,
      CreateAiProvider1701510000000,
      CreateChats1701520000000,
      CreateMcpDefaults1701550000000,
      IndexChatMessages1701560000000,
    ],
    postDeploy: [DropIntents1701200000000],
  },
};
