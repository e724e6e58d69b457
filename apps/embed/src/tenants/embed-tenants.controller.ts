import { Controller, UseGuards } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbeddingGuard } from '../grants';
import { EmbedTenantsService } from './embed-tenants.service';

type Served = 'listEmbedTenants' | 'deleteEmbedTenant';

@Controller()
@UseGuards(EmbeddingGuard)
export class EmbedTenantsController implements Pick<Operations<'embed', 'Embed Tenants'>, Served> {
  constructor(private readonly tenants: EmbedTenantsService) {}

  @Operation('listEmbedTenants')
  listEmbedTenants({ principal, query }: Call<'listEmbedTenants'>) {
    return this.tenants.list(principal, query);
  }

  @Operation('deleteEmbedTenant')
  deleteEmbedTenant({ principal, path }: Call<'deleteEmbedTenant'>) {
    return this.tenants.delete(principal, path.embedTenantName);
  }
}
