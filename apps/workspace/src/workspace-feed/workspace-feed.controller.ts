import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ContentTransfers } from './content-transfers.service';
import { WorkspaceChanges } from './workspace-changes.service';
import { WorkspaceFeedService } from './workspace-feed.service';

@Controller()
export class WorkspaceFeedController implements Operations<'workspace', 'Workspace'> {
  constructor(
    private readonly feed: WorkspaceFeedService,
    private readonly changes: WorkspaceChanges,
    private readonly transfers: ContentTransfers,
  ) {}

  @Operation('workspaceObjects')
  workspaceObjects({ principal, path, query }: Call<'workspaceObjects'>) {
    return this.feed.list(principal, path.deploymentId, query);
  }

  @Operation('sharedWorkspaceObjects')
  sharedWorkspaceObjects({ principal, path, query }: Call<'sharedWorkspaceObjects'>) {
    return this.feed.listShared(principal, path.deploymentId, query);
  }

  @Operation('moveWorkspaceObject')
  moveWorkspaceObject({ principal, path, body }: Call<'moveWorkspaceObject'>) {
    return this.changes.move(principal, path.deploymentId, body);
  }

  @Operation('bulkMoveWorkspaceObjects')
  bulkMoveWorkspaceObjects({ principal, path, body }: Call<'bulkMoveWorkspaceObjects'>) {
    return this.changes.moveAll(principal, path.deploymentId, body);
  }

  @Operation('bulkDeleteWorkspaceObjects')
  bulkDeleteWorkspaceObjects({ principal, path, body }: Call<'bulkDeleteWorkspaceObjects'>) {
    return this.changes.deleteAll(principal, path.deploymentId, body);
  }

  @Operation('transferContent')
  transferContent({ principal, path, body }: Call<'transferContent'>) {
    return this.transfers.transfer(principal, path.id, body);
  }
}
