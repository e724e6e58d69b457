import { Module } from '@nestjs/common';
import { EmbedTenantsModule } from '../tenants';
import { EmbedUsersModule } from '../users';
import { Commenters } from './commenters.service';
import { CommentsController } from './comments.controller';
import { CommentsRepository } from './comments.repository';
import { CommentsService } from './comments.service';
import { MentionsService } from './mentions.service';

@Module({
  imports: [EmbedTenantsModule, EmbedUsersModule],
  controllers: [CommentsController],
  providers: [Commenters, CommentsRepository, CommentsService, MentionsService],
  exports: [CommentsRepository],
})
export class CommentsModule {}
