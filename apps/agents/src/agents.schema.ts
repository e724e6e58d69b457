import { DropIntents1701200000000, type ServiceSchema } from '@plinth/database';
import { Agent } from './agents';
import { CreateAgents1701500000000 } from './migrations/pre-deploy/1701500000000-CreateAgents.migration';

export const agentsSchema: ServiceSchema = {
  service: 'agents',
  entities: [Agent],
  migrations: { preDeploy: [CreateAgents1701500000000], postDeploy: [DropIntents1701200000000] },
};
