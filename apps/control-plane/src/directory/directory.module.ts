import { Module } from '@nestjs/common';
import { AccessModule } from '../rights/effective-policies/effective-policies.module';
import { ApiKeysModule } from '../credentials/api-keys/api-keys.module';
import { DirectoryController } from './directory.controller';
import { DirectoryService } from './directory.service';
import { OAuthArtefactsRepository } from '../sign-in/oauth/oauth-artefacts.repository';
import { ScimTokensModule } from '../credentials/scim-tokens/scim-tokens.module';
import { TenantsRepository } from '../tenancy/tenants/tenants.repository';

@Module({
  imports: [AccessModule, ApiKeysModule, ScimTokensModule],
  controllers: [DirectoryController],
  providers: [TenantsRepository, OAuthArtefactsRepository, DirectoryService],
})
export class TenantsModule {}
