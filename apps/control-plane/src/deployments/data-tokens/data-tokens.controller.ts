import { Controller } from '@nestjs/common';
import { Operation, type Call } from '@plinth/messaging';
import { ChatTokens } from './chat-tokens.service';
import { DataTokens } from './data-tokens.service';

@Controller()
export class DataTokensController {
  constructor(
    private readonly tokens: DataTokens,
    private readonly chatTokens: ChatTokens,
  ) {}

  @Operation('verifyDataToken')
  verifyDataToken({ principal, body }: Call<'verifyDataToken'>) {
    return this.tokens.verify(principal, body);
  }

  @Operation('authenticateDeploymentToken')
  authenticateDeploymentToken({ principal, body }: Call<'authenticateDeploymentToken'>) {
    return this.chatTokens.authenticate(principal, body);
  }
}
