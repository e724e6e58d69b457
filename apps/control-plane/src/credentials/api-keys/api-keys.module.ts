import { Module } from '@nestjs/common';
import { KernelModule } from '../../kernel';
import { TenancyDomain } from '../../tenancy';
import { ApiKeyRevocations } from './api-key-revocations.service';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysRepository } from './api-keys.repository';
import { ApiKeysService } from './api-keys.service';

@Module({
  imports: [KernelModule, TenancyDomain],
  controllers: [ApiKeysController],
  providers: [ApiKeysService, ApiKeyRevocations, ApiKeysRepository],
  exports: [ApiKeysRepository, ApiKeyRevocations],
})
export class ApiKeysModule {}
