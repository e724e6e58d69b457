import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ScimTokensService } from './scim-tokens.service';

@Controller()
export class ScimTokensController implements Operations<'control-plane', 'SCIM Tokens'> {
  constructor(private readonly tokens: ScimTokensService) {}

  @Operation('listScimTokens')
  listScimTokens({ principal }: Call<'listScimTokens'>) {
    return this.tokens.list(principal);
  }

  @Operation('createScimToken')
  createScimToken({ principal, body }: Call<'createScimToken'>) {
    return this.tokens.create(principal, body);
  }

  @Operation('deleteScimToken')
  deleteScimToken({ principal, path }: Call<'deleteScimToken'>) {
    return this.tokens.delete(principal, path.scimTokenId);
  }
}
