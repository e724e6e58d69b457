import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { SessionFactsService } from './session-facts.service';

@Controller()
export class SessionFactsController implements Operations<'embed', 'Embed Session Facts'> {
  constructor(private readonly facts: SessionFactsService) {}

  @Operation('authenticateEmbedSession')
  authenticateEmbedSession({ principal, body }: Call<'authenticateEmbedSession'>) {
    return this.facts.authenticate(principal, body);
  }

  @Operation('describeEmbedSession')
  describeEmbedSession({ principal, body }: Call<'describeEmbedSession'>) {
    return this.facts.describe(principal, body);
  }
}
