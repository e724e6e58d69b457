import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { SignInService } from './sign-in.service';

@Controller()
export class SignInController implements Operations<'control-plane', 'Sign In'> {
  constructor(private readonly service: SignInService) {}

  @Operation('signIn')
  signIn({ principal, body }: Call<'signIn'>) {
    return this.service.signIn(principal, body);
  }

  @Operation('signOut')
  signOut({ principal, body }: Call<'signOut'>) {
    return this.service.signOut(principal, body);
  }

  @Operation('describeSignedInUser')
  describeSignedInUser({ principal, body }: Call<'describeSignedInUser'>) {
    return this.service.describe(principal, body);
  }
}
