import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { OidcTokenConfigsService } from './oidc-token-configs.service';

@Controller()
export class OidcTokenConfigsController implements Operations<'control-plane', 'OIDC Token Configs'> {
  constructor(private readonly configs: OidcTokenConfigsService) {}

  @Operation('listOidcTokenConfigs')
  listOidcTokenConfigs({ principal }: Call<'listOidcTokenConfigs'>) {
    return this.configs.list(principal);
  }

  @Operation('createOidcTokenConfig')
  createOidcTokenConfig({ principal, body }: Call<'createOidcTokenConfig'>) {
    return this.configs.create(principal, body);
  }

  @Operation('getOidcTokenConfig')
  getOidcTokenConfig({ principal, path }: Call<'getOidcTokenConfig'>) {
    return this.configs.get(principal, path.id);
  }

  @Operation('updateOidcTokenConfig')
  updateOidcTokenConfig({ principal, path, body }: Call<'updateOidcTokenConfig'>) {
    return this.configs.update(principal, path.id, body);
  }

  @Operation('deleteOidcTokenConfig')
  deleteOidcTokenConfig({ principal, path }: Call<'deleteOidcTokenConfig'>) {
    return this.configs.delete(principal, path.id);
  }
}
