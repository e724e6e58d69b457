import { Module } from '@nestjs/common';
import { GrantsModule } from '../grants';
import { GroupMembersRepository } from '../groups';
import { EmbedTenantsModule } from '../tenants';
import { EmbedUsersRepository } from './embed-users.repository';
import { Provisioning } from './provisioning.service';

@Module({
  imports: [EmbedTenantsModule, GrantsModule],
  providers: [Provisioning, EmbedUsersRepository, GroupMembersRepository],
  exports: [Provisioning, EmbedUsersRepository],
})
export class EmbedUsersModule {}
