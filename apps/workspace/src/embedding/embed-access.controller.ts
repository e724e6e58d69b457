import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ContentShares } from './content-shares.service';
import { EmbedAccessService } from './embed-access.service';
import { TenantWorkbooks } from './tenant-workbooks.service';

@Controller()
export class EmbedAccessController implements Operations<'workspace', 'Dashboard Embed Access'> {
  constructor(
    private readonly access: EmbedAccessService,
    private readonly shares: ContentShares,
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

  @Operation('getContentShares')
  getContentShares({ principal, path, query }: Call<'getContentShares'>) {
    return this.shares.get(principal, path, query);
  }

  @Operation('updateContentShares')
  updateContentShares({ principal, path, body }: Call<'updateContentShares'>) {
    return this.shares.update(principal, path, body);
  }

  @Operation('listEmbedTenantWorkbooks')
  listEmbedTenantWorkbooks({ principal, path, query }: Call<'listEmbedTenantWorkbooks'>) {
    return this.workbooks.list(principal, path, query);
  }
}
