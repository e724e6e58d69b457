import { Injectable } from '@nestjs/common';

/** Tells the scheduler of this process that a time may have come, or has changed. */
@Injectable()
export class SchedulerAlarm {
  private listener: () => void = () => undefined;

  ring(): void {
    this.listener();
  }

  onRing(listener: () => void): void {
    this.listener = listener;
  }
}
