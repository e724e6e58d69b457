import { inWords, nextRun, scheduleOf, type Schedule } from './schedule';

const refusal = (input: object, before?: Schedule): unknown => {
  try {
    return scheduleOf(input, before);
  } catch (error) {
    return (error as { details?: unknown }).details;
  }
};
const runs = (schedule: Schedule, from: string, count: number): string[] => {
  const found: string[] = [];
  for (let at = new Date(from); found.length < count; found.push(at.toISOString())) at = nextRun(schedule, at) as Date;
  return found;
};

describe('the schedule of a notification', () => {
  it.each([
    ['with seconds', '* * * * * *', 'has five fields: nothing runs more often than each minute'],
    ['with years', '0 0 1 1 * * 2020', 'has five fields: nothing runs more often than each minute'],
    ['that never fires', '0 0 31 2 *', 'never fires'],
    ['that is a date', '2026-12-01T00:00:00', 'has five fields of cron'],
    ['that is a name', '@reboot', 'has five fields of cron'],
    ['with a minute that there is not', '61 * * * *', 'is no cron: minute, hour, day of month, month and day of week'],
    ['of words', 'every day at nine oclock', 'is no cron: minute, hour, day of month, month and day of week'],
    ['of nothing', '  ', 'is needed for CUSTOM'],
    ['that is not there', null, 'is needed for CUSTOM'],
  ])('refuses a cron %s', (_case, customCron, message) => {
    expect(refusal({ scheduleType: 'CUSTOM', customCron })).toEqual([{ path: '/body/customCron', message }]);
  });

  it.each(['Mars/Olympus', '', '+02:00', 'Europe/Berlin; drop'])('refuses the time zone %j', (timezone) => {
    const details = [{ path: '/body/timezone', message: 'must be an IANA time zone, such as Europe/Berlin' }];
    expect(refusal({ scheduleType: 'DAILY', timezone })).toEqual(details);
  });

  it('refuses times that its kind does not take, and a cron beside a kind', () => {
    expect(refusal({ scheduleType: 'HOURLY', hour: 3 })).toEqual([
      { path: '/body/hour', message: 'is not for HOURLY' },
    ]);
    const details = [{ path: '/body/customCron', message: 'is for CUSTOM alone' }];
    expect(refusal({ scheduleType: 'DAILY', customCron: '* * * * *' })).toEqual(details);
  });

  it.each<[Parameters<typeof scheduleOf>[0], string, string | undefined]>([
    [{ scheduleType: 'HOURLY', minute: 5 }, '5 * * * *', 'At 5 minutes past the hour'],
    [{ scheduleType: 'DAILY', hour: 9 }, '0 9 * * *', 'At 09:00'],
    [{ scheduleType: 'WEEKLY', hour: 9, dayOfWeek: 0 }, '0 9 * * 0', 'At 09:00, only on Sunday'],
    [{ scheduleType: 'MONTHLY', minute: 30, dayOfMonth: 31 }, '30 0 31 * *', 'At 00:30, on day 31 of the month'],
    [{ scheduleType: 'CUSTOM', customCron: ' */20  8-18 * * MON-FRI ' }, '*/20 8-18 * * MON-FRI', undefined],
  ])('is cron and words for %j', (input, cron, words) => {
    const schedule = scheduleOf(input);
    expect(schedule).toEqual({ cron, timeZone: 'UTC' });
    if (words !== undefined) expect(inWords(schedule)).toBe(words);
  });

  it('changes by what is sent, and keeps the rest', () => {
    const before = { cron: '30 9 * * 1', timeZone: 'Europe/Berlin' };
    expect(scheduleOf({}, before)).toEqual(before);
    expect(scheduleOf({ hour: 7 }, before)).toEqual({ ...before, cron: '30 7 * * 1' });
    expect(scheduleOf({ timezone: 'UTC' }, before)).toEqual({ ...before, timeZone: 'UTC' });
    expect(scheduleOf({ scheduleType: 'DAILY' }, before)).toEqual({ ...before, cron: '0 0 * * *' });
    expect(scheduleOf({ customCron: '*/5 * * * *' }, before)).toEqual({ ...before, cron: '*/5 * * * *' });
    const custom = { cron: '*/5 * * * *', timeZone: 'UTC' };
    const message = 'needs a scheduleType: the schedule was made by customCron';
    expect(refusal({ hour: 7 }, custom)).toEqual([{ path: '/body/hour', message }]);
  });
});

describe('the times of a schedule', () => {
  const berlin = 'Europe/Berlin';
  const lordHowe = 'Australia/Lord_Howe';

  it('keep the time of day when an hour is left out, and lose no day whose time there is not (Berlin)', () => {
    expect(runs({ cron: '0 9 * * *', timeZone: berlin }, '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T08:00:00.000Z',
      '2026-03-29T07:00:00.000Z',
      '2026-03-30T07:00:00.000Z',
    ]);
    expect(runs({ cron: '30 2 * * *', timeZone: berlin }, '2026-03-28T03:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  it('come once a day when an hour is repeated, and each hour by an hourly schedule (Berlin)', () => {
    expect(runs({ cron: '30 2 * * *', timeZone: berlin }, '2026-10-24T03:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
    expect(runs({ cron: '0 * * * *', timeZone: berlin }, '2026-10-24T23:30:00Z', 3)).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
  });

  it('bear changes of half an hour (Lord Howe)', () => {
    expect(runs({ cron: '15 2 * * *', timeZone: lordHowe }, '2026-10-02T17:00:00Z', 2)).toEqual([
      '2026-10-03T15:30:00.000Z',
      '2026-10-04T15:15:00.000Z',
    ]);
    expect(runs({ cron: '45 1 * * *', timeZone: lordHowe }, '2026-04-03T17:00:00Z', 2)).toEqual([
      '2026-04-04T14:45:00.000Z',
      '2026-04-05T15:15:00.000Z',
    ]);
  });

  it('pass over months without the day', () => {
    expect(runs({ cron: '0 0 31 * *', timeZone: 'UTC' }, '2026-01-31T12:00:00Z', 2)).toEqual([
      '2026-03-31T00:00:00.000Z',
      '2026-05-31T00:00:00.000Z',
    ]);
  });
});
