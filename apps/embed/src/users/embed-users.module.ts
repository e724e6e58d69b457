import { Module } from '@nestjs/common';
import { GrantsModule } from '../grants';
import { GroupMembersRepository } from '../memberships';
import { SessionNoticesModule } from '../session-notices';
import { EmbedTenantsModule } from '../tenants';
import { EmbedUsersController } from './embed-users.controller';
import { EmbedUsersRepository } from './embed-users.repository';
import { EmbedUsersService } from './embed-users.service';
import { Provisioning } from './provisioning.service';

@Module({
  imports: [EmbedTenantsModule, GrantsModule, SessionNoticesModule],
  controllers: [EmbedUsersController],
  providers: [EmbedUsersService, Provisioning, EmbedUsersRepository, GroupMembersRepository],
  exports: [Provisioning, EmbedUsersRepository, GroupMembersRepository],
})
export class EmbedUsersModule {}
