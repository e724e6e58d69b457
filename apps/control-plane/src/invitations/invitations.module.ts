import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { PasswordsModule } from '../passwords/passwords.module';
import { TenantAddressesModule } from '../tenants/tenant-addresses.module';
import { InvitationsController } from './invitations.controller';
import { InvitationsRepository } from './invitations.repository';
import { InvitationsService } from './invitations.service';

@Module({
  imports: [AccessModule, PasswordsModule, TenantAddressesModule],
  controllers: [InvitationsController],
  providers: [InvitationsService, InvitationsRepository],
  exports: [InvitationsService],
})
export class InvitationsModule {}
