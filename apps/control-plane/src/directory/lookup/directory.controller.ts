import { Controller } from '@nestjs/common';
import { Operation, type Call } from '@plinth/messaging';
import { DirectoryService } from './directory.service';

@Controller()
export class DirectoryController {
  constructor(private readonly directory: DirectoryService) {}

  @Operation('resolveTenant')
  resolveTenant({ body }: Call<'resolveTenant'>) {
    return this.directory.resolveTenant(body);
  }

  @Operation('authenticate')
  authenticate({ principal, body }: Call<'authenticate'>) {
    return this.directory.authenticate(body, principal.tenantName);
  }
}
