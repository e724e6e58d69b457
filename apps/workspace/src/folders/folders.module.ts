import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { FoldersController } from './folders.controller';
import { FoldersRepository } from './folders.repository';
import { FoldersService } from './folders.service';

@Module({
  imports: [ContentModule],
  controllers: [FoldersController],
  providers: [FoldersService, FoldersRepository],
})
export class FoldersModule {}
