import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ModelMembersService } from './model-members.service';

@Controller()
export class ModelMembersController implements Operations<'build-worker', 'Model Members'> {
  constructor(private readonly members: ModelMembersService) {}

  @Operation('describeModelMembers')
  describeModelMembers({ principal, body }: Call<'describeModelMembers'>) {
    return this.members.ofBranch(principal, body);
  }
}
