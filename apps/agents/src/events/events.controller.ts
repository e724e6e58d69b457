import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EventsService } from './events.service';

@Controller()
export class EventsController implements Operations<'agents', 'Event Delivery'> {
  constructor(private readonly events: EventsService) {}

  @Operation('deliverEventsToAgents')
  deliverEventsToAgents({ body }: Call<'deliverEventsToAgents'>) {
    return this.events.deliver(body);
  }
}
