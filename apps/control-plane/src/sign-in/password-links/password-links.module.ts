import { Module } from '@nestjs/common';
import { AccessModule } from '../../rights/effective-policies/effective-policies.module';
import { ApiKeysModule } from '../../credentials/api-keys/api-keys.module';
import { PasswordsModule } from '../passwords/passwords.module';
import { TenantAddressesModule } from '../../tenancy/tenants/tenant-addresses.module';
import { PasswordLinkIssuer } from './password-link-issuer';
import { PasswordLinksController } from './password-links.controller';
import { PasswordLinksRepository } from './password-links.repository';
import { PasswordLinksService } from './password-links.service';

@Module({
  imports: [AccessModule, ApiKeysModule, PasswordsModule, TenantAddressesModule],
  controllers: [PasswordLinksController],
  providers: [PasswordLinksService, PasswordLinkIssuer, PasswordLinksRepository],
  exports: [PasswordLinkIssuer],
})
export class PasswordLinksModule {}
