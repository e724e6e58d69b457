import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { DirectoryController } from '../directory/directory.controller';
import { DirectoryService } from '../directory/directory.service';
import { UsersModule } from '../users/users.module';
import { TenantsRepository } from './tenants.repository';
import { TenantsService } from './tenants.service';

@Module({
  imports: [UsersModule, ApiKeysModule],
  controllers: [DirectoryController],
  providers: [TenantsService, TenantsRepository, DirectoryService],
})
export class TenantsModule {}
