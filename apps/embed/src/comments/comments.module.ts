import { Module } from '@nestjs/common';
import { ColleaguesModule } from '../colleagues';
import { EmbedTenantsModule } from '../tenants';
import { Commenters } from './commenters.service';
import { CommentsController } from './comments.controller';
import { CommentsRepository } from './comments.repository';
import { CommentsService } from './comments.service';
import { MentionsService } from './mentions.service';

@Module({
  imports: [ColleaguesModule, EmbedTenantsModule],
  controllers: [CommentsController],
  providers: [Commenters, CommentsRepository, CommentsService, MentionsService],
  exports: [CommentsRepository],
})
export class CommentsModule {}
