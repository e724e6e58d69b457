import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbedAccessService } from './embed-access.service';
import { TenantWorkbooks } from './tenant-workbooks.service';

@Controller()
export class EmbedAccessController implements Operations<'workspace', 'Dashboard Embed Access'> {
  constructor(
    private readonly access: EmbedAccessService,
    private readonly workbooks: TenantWorkbooks,
  ) {}

  @Operation('getEmbedAccess')
  getEmbedAccess({ principal, path }: Call<'getEmbedAccess'>) {
    return this.access.ofWorkbook(principal, path);
  }

  @Operation('updateEmbedAccess')
  updateEmbedAccess({ principal, path, body }: Call<'updateEmbedAccess'>) {
    return this.access.changeWorkbook(principal, path, body);
  }

  @Operation('getFolderEmbedAccess')
  getFolderEmbedAccess({ principal, path }: Call<'getFolderEmbedAccess'>) {
    return this.access.ofFolder(principal, path);
  }

  @Operation('updateFolderEmbedAccess')
  updateFolderEmbedAccess({ principal, path, body }: Call<'updateFolderEmbedAccess'>) {
    return this.access.changeFolder(principal, path, body);
  }

  @Operation('listEmbedTenantWorkbooks')
  listEmbedTenantWorkbooks({ principal, path, query }: Call<'listEmbedTenantWorkbooks'>) {
    return this.workbooks.list(principal, path, query);
  }
}
