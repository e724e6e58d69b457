import { Controller, UseGuards } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbeddingGuard } from '../grants';
import { DirectoryService } from './directory.service';

/** Whose content is what is told also while embedding is off: it stays. */
@Controller()
export class DirectoryController implements Operations<'embed', 'Embed Directory'> {
  constructor(private readonly directory: DirectoryService) {}

  @Operation('describeEmbedAudience')
  @UseGuards(EmbeddingGuard)
  describeEmbedAudience({ principal, body }: Call<'describeEmbedAudience'>) {
    return this.directory.audience(principal, body);
  }

  @Operation('describeColleagues')
  describeColleagues({ principal, body }: Call<'describeColleagues'>) {
    return this.directory.colleagues(principal, body);
  }

  @Operation('describeEmbedPeople')
  describeEmbedPeople({ principal, body }: Call<'describeEmbedPeople'>) {
    return this.directory.people(principal, body);
  }
}
