import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { DirectoryController } from '../directory/directory.controller';
import { DirectoryService } from '../directory/directory.service';
import { OAuthArtefactsRepository } from '../oauth/oauth-artefacts.repository';
import { ScimTokensModule } from '../scim-tokens/scim-tokens.module';
import { TenantsRepository } from './tenants.repository';

@Module({
  imports: [AccessModule, ApiKeysModule, ScimTokensModule],
  controllers: [DirectoryController],
  providers: [TenantsRepository, OAuthArtefactsRepository, DirectoryService],
})
export class TenantsModule {}
