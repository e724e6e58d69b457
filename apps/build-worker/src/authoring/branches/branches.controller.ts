import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { BranchListService } from './branch-list.service';
import { BranchesService } from './branches.service';
import { StagingService } from './staging.service';

type BranchOperations = Pick<
  Operations<'build-worker', 'Data Model'>,
  'listBranches' | 'createBranch' | 'removeBranch' | 'setBranchStagingEnvironment'
>;

@Controller()
export class BranchesController implements BranchOperations {
  constructor(
    private readonly branchList: BranchListService,
    private readonly branches: BranchesService,
    private readonly staging: StagingService,
  ) {}

  @Operation('listBranches')
  listBranches({ principal, path, query }: Call<'listBranches'>) {
    return this.branchList.list(principal, path.deploymentId, query);
  }

  @Operation('createBranch')
  createBranch({ principal, path, body }: Call<'createBranch'>) {
    return this.branches.create(principal, path.deploymentId, body);
  }

  @Operation('removeBranch')
  removeBranch({ principal, path, query }: Call<'removeBranch'>) {
    return this.branches.remove(principal, path.deploymentId, query);
  }

  @Operation('setBranchStagingEnvironment')
  setBranchStagingEnvironment({ principal, path, body }: Call<'setBranchStagingEnvironment'>) {
    return this.staging.setEnabled(principal, path.deploymentId, body);
  }
}
