import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EventsService } from './events.service';

@Controller()
export class EventsController implements Operations<'embed', 'Event Delivery'> {
  constructor(private readonly events: EventsService) {}

  @Operation('deliverEventsToEmbed')
  deliverEventsToEmbed({ body }: Call<'deliverEventsToEmbed'>) {
    return this.events.deliver(body);
  }
}
