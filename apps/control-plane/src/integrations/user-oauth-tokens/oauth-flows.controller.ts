import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { OAuthFlowsService } from './oauth-flows.service';

@Controller()
export class OAuthFlowsController implements Operations<'control-plane', 'OAuth Flows'> {
  constructor(private readonly flows: OAuthFlowsService) {}

  @Operation('describeOAuthFlow')
  describeOAuthFlow({ principal, body }: Call<'describeOAuthFlow'>) {
    return this.flows.describe(principal, body);
  }

  @Operation('completeOAuthFlow')
  completeOAuthFlow({ principal, body }: Call<'completeOAuthFlow'>) {
    return this.flows.complete(principal, body);
  }
}
