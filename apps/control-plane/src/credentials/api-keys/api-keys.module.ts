import { Module } from '@nestjs/common';
import { AccessModule } from '../../rights/effective-policies/effective-policies.module';
import { TenantSettingsRepository } from '../../tenancy/tenant-settings/tenant-settings.repository';
import { ApiKeyRevocations } from './api-key-revocations.service';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysRepository } from './api-keys.repository';
import { ApiKeysService } from './api-keys.service';

@Module({
  imports: [AccessModule],
  controllers: [ApiKeysController],
  providers: [ApiKeysService, ApiKeyRevocations, ApiKeysRepository, TenantSettingsRepository],
  exports: [ApiKeysRepository, ApiKeyRevocations],
})
export class ApiKeysModule {}
