import { Controller } from '@nestjs/common';
import { Operation, type Call } from '@plinth/messaging';
import { ContentDirectoryService } from './content-directory.service';
import { DirectoryService } from './directory.service';

@Controller()
export class DirectoryController {
  constructor(
    private readonly directory: DirectoryService,
    private readonly content: ContentDirectoryService,
  ) {}

  @Operation('resolveTenant')
  resolveTenant({ body }: Call<'resolveTenant'>) {
    return this.directory.resolveTenant(body);
  }

  @Operation('authenticate')
  authenticate({ principal, body }: Call<'authenticate'>) {
    return this.directory.authenticate(body, principal.tenantName);
  }

  @Operation('describeContentRights')
  describeContentRights({ principal, body }: Call<'describeContentRights'>) {
    return this.content.rights(principal, body);
  }

  @Operation('describeDataCaller')
  describeDataCaller({ principal, body }: Call<'describeDataCaller'>) {
    return this.content.dataCaller(principal, body);
  }

  @Operation('describePeople')
  describePeople({ principal, body }: Call<'describePeople'>) {
    return this.content.people(principal, body);
  }
}
