import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { Passwords } from './passwords.service';

@Controller()
export class PasswordsController implements Operations<'control-plane', 'Passwords'> {
  constructor(private readonly passwords: Passwords) {}

  @Operation('verifyPassword')
  async verifyPassword({ principal, body }: Call<'verifyPassword'>) {
    return { userId: await this.passwords.verify(principal.tenantId, body.email, body.password) };
  }
}
