/** Stands in for what a data model may not do; also called with `new`. */
export function refuse(): never {
  throw new Error('A data model may not use the network or the process');
}

/** For good: nobody can put anything else in the place. */
export function replace(target: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: false, configurable: false });
}
