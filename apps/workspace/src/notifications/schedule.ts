import { isTimeZone, type BodyOf } from '@plinth/contract';
import { invalidRequest } from '@plinth/errors';
import { Cron } from 'croner';
import cronstrue from 'cronstrue';

/** When a notification runs. */
export interface Schedule {
  /** Five fields of cron. */
  cron: string;
  /** IANA name. */
  timeZone: string;
}

type Input = Partial<BodyOf<'updateNotification'>> & object;
type Times = Pick<Input, 'minute' | 'hour' | 'dayOfWeek' | 'dayOfMonth'>;
type Repeated = 'HOURLY' | 'DAILY' | 'WEEKLY' | 'MONTHLY';

const WORDS = /^\S+(?:\s+\S+){4}$/;
const LISTED = /^[\s\w*,/#?+-]+$/;

/** Fields of cron from the times of a kind of schedule; what is not named is the first there is. */
const written: Readonly<Record<Repeated, (times: Times) => string>> = {
  HOURLY: ({ minute }) => `${minute ?? 0} * * * *`,
  DAILY: ({ minute, hour }) => `${minute ?? 0} ${hour ?? 0} * * *`,
  WEEKLY: ({ minute, hour, dayOfWeek }) => `${minute ?? 0} ${hour ?? 0} * * ${dayOfWeek ?? 0}`,
  MONTHLY: ({ minute, hour, dayOfMonth }) => `${minute ?? 0} ${hour ?? 0} ${dayOfMonth ?? 1} * *`,
};
const shapes: readonly (readonly [Repeated, RegExp])[] = [
  ['HOURLY', /^(?<minute>\d+) \* \* \* \*$/],
  ['DAILY', /^(?<minute>\d+) (?<hour>\d+) \* \* \*$/],
  ['WEEKLY', /^(?<minute>\d+) (?<hour>\d+) \* \* (?<dayOfWeek>\d+)$/],
  ['MONTHLY', /^(?<minute>\d+) (?<hour>\d+) (?<dayOfMonth>\d+) \* \*$/],
];

/**
 * The schedule that a request asks for, over the one that is there.
 *
 * @throws AppError `request.invalid` (400) for a cron that never fires or fires more often than each minute, a time zone
 *   that there is not, and times that no kind of schedule takes.
 */
export function scheduleOf(input: Input, before?: Schedule): Schedule {
  const timeZone = timeZoneOf(input.timezone ?? before?.timeZone ?? 'UTC');
  const cron = cronOf(input, before);
  const schedule = { cron, timeZone };
  if (nextRun(schedule, new Date()) === undefined) throw invalidRequest('/body/customCron', 'never fires');
  return schedule;
}

/** The first time of the schedule after a moment, in any season of the zone; undefined when there is none. */
export const nextRun = ({ cron, timeZone }: Schedule, after: Date): Date | undefined =>
  new Cron(cron, { timezone: timeZone, paused: true, mode: '5-part' }).nextRun(after) ?? undefined;

/** The schedule in words. */
export function inWords({ cron }: Schedule): string {
  try {
    return cronstrue.toString(cron, { use24HourTimeFormat: true });
  } catch {
    // It has no words for some things that run well.
    return cron;
  }
}

function cronOf(input: Input, before: Schedule | undefined): string {
  const { scheduleType, customCron } = input;
  if (scheduleType === 'CUSTOM') return customOf(customCron);
  if (customCron != null) {
    if (scheduleType != null || before === undefined) throw invalidRequest('/body/customCron', 'is for CUSTOM alone');
    return customOf(customCron);
  }
  if (scheduleType != null) return written[scheduleType](timesFor(scheduleType, input));
  return before === undefined ? written.DAILY({}) : changed(before.cron, input);
}

/** Times that a kind does not have would be lost without a word. */
function timesFor(kind: Repeated, input: Times): Times {
  const taken: Readonly<Record<Repeated, readonly (keyof Times)[]>> = {
    HOURLY: ['minute'],
    DAILY: ['minute', 'hour'],
    WEEKLY: ['minute', 'hour', 'dayOfWeek'],
    MONTHLY: ['minute', 'hour', 'dayOfMonth'],
  };
  const times = ['minute', 'hour', 'dayOfWeek', 'dayOfMonth'] as const;
  const foreign = times.find((name) => input[name] != null && !taken[kind].includes(name));
  if (foreign !== undefined) throw invalidRequest(`/body/${foreign}`, `is not for ${kind}`);
  return input;
}

function changed(cron: string, input: Times): string {
  const { minute, hour, dayOfWeek, dayOfMonth } = input;
  const given = Object.entries({ minute, hour, dayOfWeek, dayOfMonth }).filter(([, value]) => value != null);
  const [first] = given;
  if (!first) return cron;
  for (const [kind, shape] of shapes) {
    const groups = shape.exec(cron)?.groups;
    if (groups) return written[kind](timesFor(kind, { ...numbersOf(groups), ...Object.fromEntries(given) }));
  }
  throw invalidRequest(`/body/${first[0]}`, 'needs a scheduleType: the schedule was made by customCron');
}

const numbersOf = (groups: Record<string, string>): Times =>
  Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, Number(text)]));

function customOf(cron: string | null | undefined): string {
  const path = '/body/customCron';
  const fields = cron?.trim() ?? '';
  if (fields === '') throw invalidRequest(path, 'is needed for CUSTOM');
  if (/^\S+(?:\s+\S+){5,}$/.test(fields)) {
    throw invalidRequest(path, 'has five fields: nothing runs more often than each minute');
  }
  if (!WORDS.test(fields) || !LISTED.test(fields)) throw invalidRequest(path, 'has five fields of cron');
  const single = fields.split(/\s+/).join(' ');
  try {
    new Cron(single, { paused: true, mode: '5-part' });
  } catch {
    throw invalidRequest(path, 'is no cron: minute, hour, day of month, month and day of week');
  }
  return single;
}

function timeZoneOf(name: string): string {
  if (!isTimeZone(name)) throw invalidRequest('/body/timezone', 'must be an IANA time zone, such as Europe/Berlin');
  return name;
}
