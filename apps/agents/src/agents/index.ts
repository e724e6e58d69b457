export { Agent, spaceOf } from './agent.entity';
export { AgentRights } from './agent-rights.service';
export { AgentsModule } from './agents.module';
export { AgentsRepository } from './agents.repository';
export { AgentsService } from './agents.service';
