import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { OwnPassword } from '../../sign-in';
import { UsersService } from './users.service';

@Controller()
export class UsersController implements Operations<'control-plane', 'Users'> {
  constructor(
    private readonly users: UsersService,
    private readonly password: OwnPassword,
  ) {}

  @Operation('getCurrentUser')
  getCurrentUser({ principal }: Call<'getCurrentUser'>) {
    return this.users.current(principal);
  }

  @Operation('updateMySettings')
  updateMySettings({ principal, body }: Call<'updateMySettings'>) {
    return this.users.updateSettings(principal, body);
  }

  @Operation('changeMyPassword')
  changeMyPassword({ principal, body }: Call<'changeMyPassword'>) {
    return this.password.change(principal, body);
  }

  @Operation('getEmbedTheme')
  getEmbedTheme({ principal }: Call<'getEmbedTheme'>) {
    return this.users.embedTheme(principal);
  }
}
