import { Controller, Inject } from '@nestjs/common';
import { Database } from '@plinth/database';
import { Operation, type Call, type Operations } from '@plinth/messaging';

@Controller()
export class EventsController implements Operations<'scim', 'Event Delivery'> {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Operation('deliverEventToScim')
  async deliverEventToScim({ body }: Call<'deliverEventToScim'>) {
    await this.database.applyOnce(body, () => Promise.resolve());
    return {};
  }
}
