import { Controller, UseGuards } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbeddingGuard } from '../grants';
import { SubjectsService } from './subjects.service';

@Controller()
@UseGuards(EmbeddingGuard)
export class SubjectsController implements Operations<'embed', 'Embed Subjects'> {
  constructor(private readonly subjects: SubjectsService) {}

  @Operation('resolveEmbedSubject')
  resolveEmbedSubject({ principal, body }: Call<'resolveEmbedSubject'>) {
    return this.subjects.resolve(principal, body);
  }
}
