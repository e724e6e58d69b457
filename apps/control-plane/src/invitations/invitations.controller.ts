import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { InvitationsService } from './invitations.service';

@Controller()
export class InvitationsController implements Operations<'control-plane', 'Invitations'> {
  constructor(private readonly invitations: InvitationsService) {}

  @Operation('describeInvitation')
  describeInvitation({ principal, body }: Call<'describeInvitation'>) {
    return this.invitations.describe(principal, body);
  }

  @Operation('acceptInvitation')
  acceptInvitation({ principal, body }: Call<'acceptInvitation'>) {
    return this.invitations.accept(principal, body);
  }
}
