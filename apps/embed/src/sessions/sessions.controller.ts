import { Controller, UseGuards } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbeddingGuard } from '../grants';
import { SessionsService } from './sessions.service';

type Served = 'generateSession' | 'postTokenBySessionId' | 'revokeSession' | 'rotateEmbedSecret';

@Controller()
export class SessionsController implements Pick<Operations<'embed', 'Embed'>, Served> {
  constructor(private readonly sessions: SessionsService) {}

  /** The control plane says whether the account embeds, with all else that a session needs of it. */
  @Operation('generateSession')
  generateSession({ principal, body }: Call<'generateSession'>) {
    return this.sessions.generate(principal, body);
  }

  @Operation('postTokenBySessionId')
  @UseGuards(EmbeddingGuard)
  postTokenBySessionId({ principal, body }: Call<'postTokenBySessionId'>) {
    return this.sessions.exchange(principal, body);
  }

  @Operation('revokeSession')
  @UseGuards(EmbeddingGuard)
  revokeSession({ principal, body }: Call<'revokeSession'>) {
    return this.sessions.revoke(principal, body);
  }

  @Operation('rotateEmbedSecret')
  @UseGuards(EmbeddingGuard)
  rotateEmbedSecret({ principal, body }: Call<'rotateEmbedSecret'>) {
    return this.sessions.rotateSecret(principal, body);
  }
}
