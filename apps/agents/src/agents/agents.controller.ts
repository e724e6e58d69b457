import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { AgentsService } from './agents.service';

@Controller()
export class AgentsController implements Operations<'agents', 'Agents'> {
  constructor(private readonly agents: AgentsService) {}

  @Operation('listAgents')
  listAgents({ principal, path, query }: Call<'listAgents'>) {
    return this.agents.list(principal, path.deploymentId, query);
  }

  @Operation('createAgent')
  createAgent({ principal, path, body }: Call<'createAgent'>) {
    return this.agents.create(principal, path.deploymentId, body);
  }

  @Operation('getAgent')
  getAgent({ principal, path }: Call<'getAgent'>) {
    return this.agents.get(principal, path.deploymentId, path.agentId);
  }

  @Operation('updateAgent')
  updateAgent({ principal, path, body }: Call<'updateAgent'>) {
    return this.agents.update(principal, path.deploymentId, path.agentId, body);
  }

  @Operation('deleteAgent')
  deleteAgent({ principal, path }: Call<'deleteAgent'>) {
    return this.agents.delete(principal, path.deploymentId, path.agentId);
  }
}
