import { Module } from '@nestjs/common';
import { KernelModule } from '../../kernel';
import { TenancyDomain } from '../../tenancy';
import { ScimTokensController } from './scim-tokens.controller';
import { ScimTokensRepository } from './scim-tokens.repository';
import { ScimTokensService } from './scim-tokens.service';

@Module({
  imports: [KernelModule, TenancyDomain],
  controllers: [ScimTokensController],
  providers: [ScimTokensService, ScimTokensRepository],
  exports: [ScimTokensRepository],
})
export class ScimTokensModule {}
