import { Module } from '@nestjs/common';
import { GrantsModule } from '../grants';
import { EmbedGroupsModule } from '../groups';
import { EmbedTenantsModule } from '../tenants';
import { EmbedUsersModule } from '../users';
import { ColleaguesController } from './colleagues.controller';
import { Colleagues } from './colleagues.service';
import { OwnTenants } from './own-tenants.service';

@Module({
  imports: [EmbedTenantsModule, EmbedUsersModule, EmbedGroupsModule, GrantsModule],
  controllers: [ColleaguesController],
  providers: [Colleagues, OwnTenants],
  exports: [Colleagues, OwnTenants],
})
export class ColleaguesModule {}
