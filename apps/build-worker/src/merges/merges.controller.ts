import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { CommitService } from './commit.service';
import { MergeService } from './merge.service';

type MergeOperations = Pick<Operations<'build-worker', 'Data Model'>, 'commitChanges' | 'mergeToDefaultBranch'>;

@Controller()
export class MergesController implements MergeOperations {
  constructor(
    private readonly commits: CommitService,
    private readonly merges: MergeService,
  ) {}

  @Operation('commitChanges')
  commitChanges({ principal, path, body }: Call<'commitChanges'>) {
    return this.commits.commit(principal, path.deploymentId, body);
  }

  @Operation('mergeToDefaultBranch')
  mergeToDefaultBranch({ principal, path, body }: Call<'mergeToDefaultBranch'>) {
    return this.merges.mergeToDefault(principal, path.deploymentId, body);
  }
}
