import { isTimeZone } from './time-zones';

describe('a time zone', () => {
  it.each(['Europe/Berlin', 'UTC', 'Etc/GMT+2', 'America/Argentina/Buenos_Aires'])('is %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each(['', 'Mars/Olympus', '+02:00', '-0500', 'Europe/Berlin ', 'Europe/Berlin; x'])('is not "%s"', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});
