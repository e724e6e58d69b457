import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbedPages } from './embed-pages.service';

@Controller()
export class EmbedPagesController implements Operations<'workspace', 'Embedded Pages'> {
  constructor(private readonly pages: EmbedPages) {}

  @Operation('drawEmbeddedDashboard')
  drawEmbeddedDashboard({ principal, body }: Call<'drawEmbeddedDashboard'>) {
    return this.pages.draw(principal, body);
  }
}
