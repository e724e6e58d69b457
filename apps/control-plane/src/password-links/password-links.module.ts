import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { PasswordsModule } from '../passwords/passwords.module';
import { TenantAddressesModule } from '../tenants/tenant-addresses.module';
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
