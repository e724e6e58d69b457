import { Controller } from '@nestjs/common';
import { Operation, type Call } from '@plinth/messaging';
import { DataTokens } from './data-tokens.service';

@Controller()
export class DataTokensController {
  constructor(private readonly tokens: DataTokens) {}

  @Operation('verifyDataToken')
  verifyDataToken({ principal, body }: Call<'verifyDataToken'>) {
    return this.tokens.verify(principal, body);
  }
}
