import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { Skills } from './skills.service';

@Controller()
export class SkillsController implements Operations<'agents', 'Agent Skills'> {
  constructor(private readonly skills: Skills) {}

  @Operation('listAgentSkills')
  listAgentSkills({ principal, path, query }: Call<'listAgentSkills'>) {
    return this.skills.list(principal, path.deploymentId, query);
  }
}
