import { Controller, UseGuards } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbeddingGuard } from '../grants';
import { EmbedUsersService } from './embed-users.service';

type Served = 'listEmbedUsers' | 'provisionEmbedUser' | 'provisionEmbedUsers';

@Controller()
@UseGuards(EmbeddingGuard)
export class EmbedUsersController implements Pick<Operations<'embed', 'Embed Tenants'>, Served> {
  constructor(private readonly users: EmbedUsersService) {}

  @Operation('listEmbedUsers')
  listEmbedUsers({ principal, path, query }: Call<'listEmbedUsers'>) {
    return this.users.list(principal, path.embedTenantName, query);
  }

  @Operation('provisionEmbedUser')
  provisionEmbedUser({ principal, path, body }: Call<'provisionEmbedUser'>) {
    return this.users.provision(principal, path.embedTenantName, body);
  }

  @Operation('provisionEmbedUsers')
  provisionEmbedUsers({ principal, path, body }: Call<'provisionEmbedUsers'>) {
    return this.users.provisionAll(principal, path.embedTenantName, body);
  }
}
