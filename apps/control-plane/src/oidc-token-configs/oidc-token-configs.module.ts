import { Module } from '@nestjs/common';
import { OidcTokenConfigsController } from './oidc-token-configs.controller';
import { OidcTokenConfigsRepository } from './oidc-token-configs.repository';
import { OidcTokenConfigsService } from './oidc-token-configs.service';

@Module({
  controllers: [OidcTokenConfigsController],
  providers: [OidcTokenConfigsService, OidcTokenConfigsRepository],
})
export class OidcTokenConfigsModule {}
