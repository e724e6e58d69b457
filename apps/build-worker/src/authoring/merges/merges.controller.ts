import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { CommitService } from './commit.service';
import { MergeService } from './merge.service';
import { PullService } from './pull.service';

type MergeOperations = Pick<
  Operations<'build-worker', 'Data Model'>,
  'commitChanges' | 'pull' | 'mergeIntoParentBranch' | 'mergeToDefaultBranch'
>;

@Controller()
export class MergesController implements MergeOperations {
  constructor(
    private readonly commits: CommitService,
    private readonly pulls: PullService,
    private readonly merges: MergeService,
  ) {}

  @Operation('commitChanges')
  commitChanges({ principal, path, body }: Call<'commitChanges'>) {
    return this.commits.commit(principal, path.deploymentId, body);
  }

  @Operation('pull')
  pull({ principal, path, body }: Call<'pull'>) {
    return this.pulls.pull(principal, path.deploymentId, body);
  }

  @Operation('mergeIntoParentBranch')
  mergeIntoParentBranch({ principal, path, body }: Call<'mergeIntoParentBranch'>) {
    return this.merges.mergeIntoParent(principal, path.deploymentId, body);
  }

  @Operation('mergeToDefaultBranch')
  mergeToDefaultBranch({ principal, path, body }: Call<'mergeToDefaultBranch'>) {
    return this.merges.mergeToDefault(principal, path.deploymentId, body);
  }
}
