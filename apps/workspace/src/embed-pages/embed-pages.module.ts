import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../embedding/embedding.module';
import { PicturesModule } from '../pictures';
import { QueriesModule } from '@plinth/queries';
import { EmbedPagesController } from './embed-pages.controller';
import { EmbedPages } from './embed-pages.service';

@Module({
  imports: [EmbeddingModule, PicturesModule, QueriesModule],
  controllers: [EmbedPagesController],
  providers: [EmbedPages],
})
export class EmbedPagesModule {}
