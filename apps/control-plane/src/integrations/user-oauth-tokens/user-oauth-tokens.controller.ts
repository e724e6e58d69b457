import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { OAuthFlowsService } from './oauth-flows.service';
import { UserAccessTokens } from './user-access-tokens.service';
import { UserOAuthTokensService } from './user-oauth-tokens.service';

@Controller()
export class UserOAuthTokensController implements Operations<'control-plane', 'User OAuth Tokens'> {
  constructor(
    private readonly tokens: UserOAuthTokensService,
    private readonly flows: OAuthFlowsService,
    private readonly accessTokens: UserAccessTokens,
  ) {}

  @Operation('listUserOAuthTokens')
  listUserOAuthTokens({ principal }: Call<'listUserOAuthTokens'>) {
    return this.tokens.list(principal);
  }

  @Operation('getUserOAuthToken')
  getUserOAuthToken({ principal, path }: Call<'getUserOAuthToken'>) {
    return this.tokens.get(principal, path.integrationId);
  }

  @Operation('revokeUserOAuthToken')
  revokeUserOAuthToken({ principal, path }: Call<'revokeUserOAuthToken'>) {
    return this.tokens.revoke(principal, path.integrationId);
  }

  @Operation('issueUserOAuthAccessToken')
  issueUserOAuthAccessToken({ principal, path }: Call<'issueUserOAuthAccessToken'>) {
    return this.accessTokens.issue(principal, path.integrationId);
  }

  @Operation('initiateOAuthFlow')
  initiateOAuthFlow({ principal, path }: Call<'initiateOAuthFlow'>) {
    return this.flows.initiate(principal, path.integrationId);
  }
}
