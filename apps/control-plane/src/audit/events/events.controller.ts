import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EventsService } from './events.service';

@Controller()
export class EventsController implements Operations<'control-plane', 'Event Delivery'> {
  constructor(private readonly events: EventsService) {}

  @Operation('deliverEventsToControlPlane')
  deliverEventsToControlPlane({ body }: Call<'deliverEventsToControlPlane'>) {
    return this.events.deliver(body);
  }
}
