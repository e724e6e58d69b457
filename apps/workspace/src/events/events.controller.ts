import { Controller, Inject } from '@nestjs/common';
import { Database } from '@plinth/database';
import { Operation, type Call, type Operations } from '@plinth/messaging';

@Controller()
export class EventsController implements Operations<'workspace', 'Event Delivery'> {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Operation('deliverEventToWorkspace')
  async deliverEventToWorkspace({ body }: Call<'deliverEventToWorkspace'>) {
    await this.database.applyOnce(body, () => Promise.resolve());
    return {};
  }
}
