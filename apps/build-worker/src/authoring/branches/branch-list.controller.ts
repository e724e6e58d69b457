import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { BranchListService } from './branch-list.service';

@Controller()
export class BranchListController implements Operations<'build-worker', 'Repositories'> {
  constructor(private readonly branches: BranchListService) {}

  @Operation('listDeploymentBranches')
  listDeploymentBranches({ principal, body }: Call<'listDeploymentBranches'>) {
    return this.branches.describe(principal, body);
  }
}
