import { Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import { EmbeddingGuard, type Embedding } from '../grants';

/** Serves no comments to an account that has switched embedding, or comments, off. */
@Injectable()
export class CommentsGuard extends EmbeddingGuard {
  /** @throws AppError `embedding.off`, `comments.off` (403) */
  protected override require(embedding: Embedding): void {
    super.require(embedding);
    if (!embedding.hasComments) throw new AppError('comments.off', 'The account has switched comments off');
  }
}
