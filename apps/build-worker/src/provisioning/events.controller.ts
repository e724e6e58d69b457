import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EventsService } from './events.service';

@Controller()
export class EventsController implements Operations<'build-worker', 'Event Delivery'> {
  constructor(private readonly events: EventsService) {}

  @Operation('deliverEventsToBuildWorker')
  deliverEventsToBuildWorker({ body }: Call<'deliverEventsToBuildWorker'>) {
    return this.events.deliver(body);
  }
}
