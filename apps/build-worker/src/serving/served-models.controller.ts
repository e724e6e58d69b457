import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { AgentSkillFilesService } from './agent-skill-files.service';
import { ServedModelsService } from './served-models.service';

@Controller()
export class ServedModelsController implements Operations<'build-worker', 'Served Models'> {
  constructor(
    private readonly models: ServedModelsService,
    private readonly skills: AgentSkillFilesService,
  ) {}

  @Operation('describeServedModel')
  describeServedModel({ principal, body }: Call<'describeServedModel'>) {
    return this.models.describe(principal, body);
  }

  @Operation('readServedModel')
  readServedModel({ principal, path, body }: Call<'readServedModel'>) {
    return this.models.read(principal, path.deploymentId, body);
  }

  @Operation('readAgentSkills')
  readAgentSkills({ principal, body }: Call<'readAgentSkills'>) {
    return this.skills.read(principal, body);
  }
}
