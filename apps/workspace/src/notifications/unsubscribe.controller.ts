import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { UnsubscribeService } from './unsubscribe.service';

@Controller()
export class UnsubscribeController implements Operations<'workspace', 'Unsubscription'> {
  constructor(private readonly subscriptions: UnsubscribeService) {}

  @Operation('describeUnsubscription')
  describeUnsubscription({ principal, body }: Call<'describeUnsubscription'>) {
    return this.subscriptions.describe(principal, body);
  }

  @Operation('unsubscribe')
  unsubscribe({ principal, body }: Call<'unsubscribe'>) {
    return this.subscriptions.unsubscribe(principal, body);
  }
}
