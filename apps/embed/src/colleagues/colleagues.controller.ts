import { Controller, UseGuards } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbeddingGuard } from '../grants';
import { Colleagues } from './colleagues.service';

type Served = 'listEmbedColleagues' | 'listEmbedColleagueGroups';

@Controller()
@UseGuards(EmbeddingGuard)
export class ColleaguesController implements Pick<Operations<'embed', 'Embed'>, Served> {
  constructor(private readonly colleagues: Colleagues) {}

  @Operation('listEmbedColleagues')
  listEmbedColleagues({ principal, query }: Call<'listEmbedColleagues'>) {
    return this.colleagues.list(principal, query);
  }

  @Operation('listEmbedColleagueGroups')
  listEmbedColleagueGroups({ principal, query }: Call<'listEmbedColleagueGroups'>) {
    return this.colleagues.listGroups(principal, query);
  }
}
