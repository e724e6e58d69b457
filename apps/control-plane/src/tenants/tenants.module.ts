import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { DirectoryController } from '../directory/directory.controller';
import { DirectoryService } from '../directory/directory.service';
import { TenantsRepository } from './tenants.repository';

@Module({
  imports: [AccessModule, ApiKeysModule],
  controllers: [DirectoryController],
  providers: [TenantsRepository, DirectoryService],
})
export class TenantsModule {}
