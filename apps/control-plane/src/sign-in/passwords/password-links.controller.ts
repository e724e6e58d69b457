import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { PasswordLinksService } from './password-links.service';

@Controller()
export class PasswordLinksController implements Operations<'control-plane', 'Password Links'> {
  constructor(private readonly links: PasswordLinksService) {}

  @Operation('describePasswordLink')
  describePasswordLink({ principal, body }: Call<'describePasswordLink'>) {
    return this.links.describe(principal, body);
  }

  @Operation('usePasswordLink')
  usePasswordLink({ principal, body }: Call<'usePasswordLink'>) {
    return this.links.use(principal, body);
  }
}
