import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { DirectoryController } from '../directory/directory.controller';
import { DirectoryService } from '../directory/directory.service';
import { RolesModule } from '../roles/roles.module';
import { UsersModule } from '../users/users.module';
import { TenantsRepository } from './tenants.repository';
import { TenantsService } from './tenants.service';

@Module({
  imports: [AccessModule, UsersModule, ApiKeysModule, RolesModule],
  controllers: [DirectoryController],
  providers: [TenantsService, TenantsRepository, DirectoryService],
})
export class TenantsModule {}
