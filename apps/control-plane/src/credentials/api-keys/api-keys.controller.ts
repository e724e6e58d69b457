import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ApiKeysService } from './api-keys.service';

@Controller()
export class ApiKeysController implements Operations<'control-plane', 'API Keys'> {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Operation('listApiKeys')
  listApiKeys({ principal, query }: Call<'listApiKeys'>) {
    return this.apiKeys.list(principal, query);
  }

  @Operation('createApiKey')
  createApiKey({ principal, body }: Call<'createApiKey'>) {
    return this.apiKeys.create(principal, body);
  }

  @Operation('getApiKey')
  getApiKey({ principal, path }: Call<'getApiKey'>) {
    return this.apiKeys.get(principal, path.apiKeyId);
  }

  @Operation('deleteApiKey')
  deleteApiKey({ principal, path }: Call<'deleteApiKey'>) {
    return this.apiKeys.delete(principal, path.apiKeyId);
  }
}
