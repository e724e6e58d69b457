import { statefulService } from '@plinth/host';
import { agentsSettings } from './agents.config';
import { AgentsServiceModule } from './agents.module';
import { agentsSchema } from './agents.schema';

/** The agents service: agents of deployments, their provider, and what they were asked. */
export const agents = statefulService({
  schema: agentsSchema,
  settings: agentsSettings,
  module: () => AgentsServiceModule,
});

export { agentsSchema };
