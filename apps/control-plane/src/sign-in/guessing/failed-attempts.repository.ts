import { Injectable } from '@nestjs/common';
import { BaseRepository, type Database } from '@plinth/database';

const PERIOD_SECONDS = 900;

/** Letters are folded by the database, as it does when it finds users by email: whom it takes for one has one count. */
const subjectHash = "encode(sha256(convert_to(lower($1::text), 'UTF8')), 'hex')";

/** How often something was tried in the running period. */
export interface Attempts {
  attempts: number;
  /** Seconds until the count begins anew. */
  secondsLeft: number;
}

/** Counts attempts for all processes together. A period begins with the first attempt; subjects are kept hashed, in one case. */
@Injectable()
export class FailedAttemptsRepository extends BaseRepository {
  /** Adds an attempt and returns the count with it. */
  async add(database: Database, subject: string): Promise<Attempts> {
    const [row] = await database.readAsSystem<Attempts>(
      {
        name: 'add-attempt',
        text: `insert into failed_attempt as a (subject_hash, attempts, ends_at)
               values (${subjectHash}, 1, now() + make_interval(secs => $2))
               on conflict (subject_hash) do update set
                 attempts = case when a.ends_at > now() then a.attempts + 1 else 1 end,
                 ends_at = case when a.ends_at > now() then a.ends_at else excluded.ends_at end
               returning attempts, extract(epoch from ends_at - now())::float as "secondsLeft"`,
      },
      [subject, PERIOD_SECONDS],
    );
    if (!row) throw new Error('An attempt was not counted');
    return row;
  }

  /** Takes one attempt off the count, because it was none. */
  async takeBack(database: Database, subject: string): Promise<void> {
    await database.readAsSystem(
      {
        name: 'take-attempt-back',
        text: `update failed_attempt set attempts = attempts - 1 where subject_hash = ${subjectHash} and attempts > 0`,
      },
      [subject],
    );
  }

  async forget(database: Database, subject: string): Promise<void> {
    await database.readAsSystem(
      { name: 'forget-attempts', text: `delete from failed_attempt where subject_hash = ${subjectHash}` },
      [subject],
    );
  }
}
