import { requestContext, type Logger, type ReadinessCheck } from '@plinth/observability';

/** Exit status after an error that nobody handled. Whoever supervises the process starts it again. */
const FAULT_STATUS = 70;

let ending = false;

/** Not ready any more as soon as the process is about to end. */
export const notEnding: ReadinessCheck = () => !ending;

export interface EndOptions {
  logger: Logger;
  /** Stops accepting, finishes what runs, lets go of everything. */
  stop: () => Promise<void>;
  /** Milliseconds after which the process ends although `stop` has not. */
  withinMs: number;
}

/**
 * Ends the process in order, once: at SIGTERM, at SIGINT and when its supervisor is gone, and after an error that nobody
 * handled. That error costs the request in whose context it arose its reply, and what else runs may finish; then the
 * status is {@link FAULT_STATUS}. It is 1 when the order cannot be kept.
 *
 * Tells a supervisor that the process is ready.
 */
export function endInOrder({ logger, stop, withinMs }: EndOptions): void {
  let status = 0;
  const fail = (err: unknown): void => {
    logger.error({ err }, 'could not stop in order');
    process.exit(1);
  };
  const end = (): void => {
    if (ending) return;
    ending = true;
    setTimeout(() => fail(new Error('Something does not end')), withinMs).unref();
    stop().then(() => process.exit(status), fail);
  };
  const onSignal = (signal: string): void => {
    if (!ending) logger.info({ signal }, 'stopping');
    end();
  };
  const onFault = (err: unknown): void => {
    logger.fatal({ err }, 'an error that nobody handled: the process ends in order');
    status = FAULT_STATUS;
    requestContext()?.fail?.(err);
    end();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
  if (!process.send) return;
  process.once('disconnect', () => onSignal('disconnect'));
  process.send('ready');
}
