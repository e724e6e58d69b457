import type { EventEmitter } from 'node:events';

/**
 * Takes over the errors of a stream, socket or child from the tick in which it is made. Node ends the process at an
 * `error` event that nobody listens to, and it can come before the first reader, or after the last one.
 *
 * @param onError hears of every error; absent where errors are told by another way as well, such as the iterator of a
 *   stream or the exit of a child
 */
export function own<E extends EventEmitter>(emitter: E, onError: (error: Error) => void = () => undefined): E {
  return emitter.on('error', onError);
}
