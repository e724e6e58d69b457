import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';

/** Records who was refused; what they asked for comes from the operation's own audit event. */
@Injectable()
export class DenialsService {
  constructor(@Inject(Database) private readonly database: Database) {}

  record(principal: Principal): Promise<ReplyOf<'recordDenial'>> {
    return this.database.mutate(principal, () => Promise.resolve({ recorded: true }));
  }
}
