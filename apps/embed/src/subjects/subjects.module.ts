import { Module } from '@nestjs/common';
import { GrantsModule } from '../grants';
import { EmbedUsersModule } from '../users';
import { SubjectsController } from './subjects.controller';
import { SubjectsRepository } from './subjects.repository';
import { SubjectsService } from './subjects.service';

@Module({
  imports: [EmbedUsersModule, GrantsModule],
  controllers: [SubjectsController],
  providers: [SubjectsService, SubjectsRepository],
  exports: [SubjectsService],
})
export class SubjectsModule {}
