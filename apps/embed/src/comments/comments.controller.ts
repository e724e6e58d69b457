import { Controller, UseGuards } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { CommentsGuard } from './comments.guard';
import { CommentsService } from './comments.service';
import { MentionsService } from './mentions.service';

type Served =
  | 'listDashboardComments'
  | 'createDashboardComment'
  | 'updateDashboardComment'
  | 'removeDashboardComment'
  | 'setDashboardCommentResolved'
  | 'listMentionableEmbedUsers';

@Controller()
@UseGuards(CommentsGuard)
export class CommentsController implements Pick<Operations<'embed', 'Embed'>, Served> {
  constructor(
    private readonly comments: CommentsService,
    private readonly mentions: MentionsService,
  ) {}

  @Operation('listDashboardComments')
  listDashboardComments({ principal, path, query }: Call<'listDashboardComments'>) {
    return this.comments.list(principal, path.publicId, query);
  }

  @Operation('createDashboardComment')
  createDashboardComment({ principal, path, body }: Call<'createDashboardComment'>) {
    return this.comments.create(principal, path.publicId, body);
  }

  @Operation('updateDashboardComment')
  updateDashboardComment({ principal, path, body }: Call<'updateDashboardComment'>) {
    return this.comments.update(principal, path, body);
  }

  @Operation('removeDashboardComment')
  removeDashboardComment({ principal, path }: Call<'removeDashboardComment'>) {
    return this.comments.remove(principal, path);
  }

  @Operation('setDashboardCommentResolved')
  setDashboardCommentResolved({ principal, path, body }: Call<'setDashboardCommentResolved'>) {
    return this.comments.setResolved(principal, path, body);
  }

  @Operation('listMentionableEmbedUsers')
  listMentionableEmbedUsers({ principal, path, query }: Call<'listMentionableEmbedUsers'>) {
    return this.mentions.list(principal, path.publicId, query);
  }
}
