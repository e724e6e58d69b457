export { Agent } from './agent.entity';
export { AgentsModule } from './agents.module';
export { AgentsRepository } from './agents.repository';
