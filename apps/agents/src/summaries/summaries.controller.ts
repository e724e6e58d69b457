import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { Summaries } from './summaries.service';

@Controller()
export class SummariesController implements Operations<'agents', 'Summaries'> {
  constructor(private readonly summaries: Summaries) {}

  @Operation('describeAiProvider')
  describeAiProvider({ principal }: Call<'describeAiProvider'>) {
    return this.summaries.presence(principal);
  }

  @Operation('summarizeChanges')
  summarizeChanges({ principal, body }: Call<'summarizeChanges'>) {
    return this.summaries.changes(principal, body);
  }
}
