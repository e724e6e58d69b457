import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EventsService } from './events.service';

@Controller()
export class EventsController implements Operations<'workspace', 'Event Delivery'> {
  constructor(private readonly events: EventsService) {}

  @Operation('deliverEventsToWorkspace')
  deliverEventsToWorkspace({ body }: Call<'deliverEventsToWorkspace'>) {
    return this.events.deliver(body);
  }
}
