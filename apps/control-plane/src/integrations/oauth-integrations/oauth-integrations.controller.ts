import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { OAuthIntegrationsService } from './oauth-integrations.service';

@Controller()
export class OAuthIntegrationsController implements Operations<'control-plane', 'OAuth Integrations'> {
  constructor(private readonly integrations: OAuthIntegrationsService) {}

  @Operation('listOAuthIntegrations')
  listOAuthIntegrations({ principal }: Call<'listOAuthIntegrations'>) {
    return this.integrations.list(principal);
  }

  @Operation('createOAuthIntegration')
  createOAuthIntegration({ principal, body }: Call<'createOAuthIntegration'>) {
    return this.integrations.create(principal, body);
  }

  @Operation('getOAuthIntegration')
  getOAuthIntegration({ principal, path }: Call<'getOAuthIntegration'>) {
    return this.integrations.get(principal, path.id);
  }

  @Operation('updateOAuthIntegration')
  updateOAuthIntegration({ principal, path, body }: Call<'updateOAuthIntegration'>) {
    return this.integrations.update(principal, path.id, body);
  }

  @Operation('deleteOAuthIntegration')
  deleteOAuthIntegration({ principal, path }: Call<'deleteOAuthIntegration'>) {
    return this.integrations.delete(principal, path.id);
  }
}
