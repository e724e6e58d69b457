import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { TenantSettingsRepository } from '../tenant-settings/tenant-settings.repository';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysRepository } from './api-keys.repository';
import { ApiKeysService } from './api-keys.service';

@Module({
  imports: [AccessModule],
  controllers: [ApiKeysController],
  providers: [ApiKeysService, ApiKeysRepository, TenantSettingsRepository],
  exports: [ApiKeysRepository],
})
export class ApiKeysModule {}
