import { Inject, Injectable } from '@nestjs/common';
import { METRICS } from '@plinth/host';
import { Counter, type Registry } from 'prom-client';

export type MailOutcome = 'sent' | 'put off' | 'refused';

/** What became of the mails of notifications. */
@Injectable()
export class MailMetrics {
  private readonly mails: Counter<'outcome'>;

  constructor(@Inject(METRICS) registry: Registry) {
    this.mails = new Counter({
      name: 'plinth_notification_mails_total',
      help: 'Mails of notifications that were handed to the mail server, by what became of it',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  count(outcome: MailOutcome): void {
    this.mails.inc({ outcome });
  }
}
