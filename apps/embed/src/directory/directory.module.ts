import { Module } from '@nestjs/common';
import { GrantsModule } from '../grants';
import { DirectoryController } from './directory.controller';
import { DirectoryRepository } from './directory.repository';
import { DirectoryService } from './directory.service';

@Module({
  imports: [GrantsModule],
  controllers: [DirectoryController],
  providers: [DirectoryService, DirectoryRepository],
})
export class DirectoryModule {}
