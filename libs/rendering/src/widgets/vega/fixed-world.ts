/**
 * The same chart is the same picture at any time and anywhere: clock, chance and time zone are those of the job. Imported
 * before Vega, which keeps what it finds.
 */
const world = { now: 0, chance: 1 };
const RealDate = Date;

class FixedDate extends RealDate {
  constructor(...values: [] | [number | string | Date]) {
    super(...((values.length === 0 ? [world.now] : values) as [number]));
  }

  static override now(): number {
    return world.now;
  }
}

// Calling it without `new` is not what charts do.
globalThis.Date = FixedDate as DateConstructor;

/** A linear congruential generator, as Vega has one. */
Math.random = (): number => {
  world.chance = (world.chance * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return world.chance / 2 ** 32;
};

/** @param now - milliseconds since 1970 */
export function fixWorld(now: number, timeZone: string): void {
  world.now = now;
  world.chance = 1;
  // Node reads it again for every date.
  process.env['TZ'] = timeZone;
}
