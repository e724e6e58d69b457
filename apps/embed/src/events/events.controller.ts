import { Controller, Inject } from '@nestjs/common';
import { Database } from '@plinth/database';
import { Operation, type Call, type Operations } from '@plinth/messaging';

@Controller()
export class EventsController implements Operations<'embed', 'Event Delivery'> {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Operation('deliverEventToEmbed')
  async deliverEventToEmbed({ body }: Call<'deliverEventToEmbed'>) {
    await this.database.applyOnce(body, () => Promise.resolve());
    return {};
  }
}
