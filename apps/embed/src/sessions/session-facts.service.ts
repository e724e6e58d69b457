import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';

/** Tells other services of sessions. None can be made so far, so every one that is asked for is over. */
@Injectable()
export class SessionFactsService {
  async authenticate(
    _caller: Principal,
    _token: BodyOf<'authenticateEmbedSession'>,
  ): Promise<ReplyOf<'authenticateEmbedSession'>> {
    return { principal: null, validForMs: 0 };
  }

  /** @throws AppError `embed_session.ended` (404) */
  async describe(
    _caller: Principal,
    _reference: BodyOf<'describeEmbedSession'>,
  ): Promise<ReplyOf<'describeEmbedSession'>> {
    throw new AppError('embed_session.ended', 'The embed session has ended');
  }
}
