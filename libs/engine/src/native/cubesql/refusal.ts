/** A statement that cannot be answered, with a sentence for whoever wrote it. */
export class SqlRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SqlRefusal';
  }
}

/**
 * Refuses what SQL knows and the stand-in does not, by its name.
 *
 * @throws SqlRefusal always.
 */
export function unsupported(what: string): never {
  throw new SqlRefusal(`Not supported without the native module: ${what}`);
}
