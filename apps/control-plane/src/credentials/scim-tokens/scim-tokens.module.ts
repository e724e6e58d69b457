import { Module } from '@nestjs/common';
import { AccessModule } from '../../rights/effective-policies/effective-policies.module';
import { TenantSettingsRepository } from '../../tenancy/tenant-settings/tenant-settings.repository';
import { ScimTokensController } from './scim-tokens.controller';
import { ScimTokensRepository } from './scim-tokens.repository';
import { ScimTokensService } from './scim-tokens.service';

@Module({
  imports: [AccessModule],
  controllers: [ScimTokensController],
  providers: [ScimTokensService, ScimTokensRepository, TenantSettingsRepository],
  exports: [ScimTokensRepository],
})
export class ScimTokensModule {}
