import { requestContext } from './request-context';

/** How the process is hurt: killed, by an exception outside of every promise, or by a rejection that nobody handles. */
type Harm = 'kill' | 'throw' | 'reject';

interface Failpoint {
  point: string;
  harm: Harm;
  /** Request that alone is hurt; any when undefined. */
  requestId: string | undefined;
}

const FORM = /^(?<point>[^:@]+)(?::(?<harm>throw|reject))?(?:@(?<requestId>.+))?$/;

let configured: readonly Failpoint[] = [];

/**
 * Makes the process die, or go wrong, when it reaches a named point; for tests of what that leaves behind.
 *
 * @param text `<point>`, `<point>:throw` or `<point>:reject`, each with `@<request id>` for one request alone; several of
 * them with commas between
 * @throws TypeError for another text
 */
export function configureFailpoint(text: string | undefined): void {
  configured = text === undefined ? [] : text.split(',').map(parsed);
}

/** A point where a crash must do no harm. Does nothing unless configured. */
export function failpoint(point: string): void {
  for (const each of configured) if (each.point === point && isMeant(each)) hurt(each);
}

const isMeant = ({ requestId }: Failpoint): boolean =>
  requestId === undefined || requestId === requestContext()?.requestId;

function hurt({ point, harm }: Failpoint): void {
  if (harm === 'kill') process.kill(process.pid, 'SIGKILL');
  const fault = new Error(`planted at ${point}`, { cause: new Error('by a test') });
  if (harm === 'throw') process.nextTick(() => raise(fault));
  if (harm === 'reject') void Promise.reject(fault);
}

function parsed(text: string): Failpoint {
  const { point, harm = 'kill', requestId } = FORM.exec(text)?.groups ?? {};
  if (point === undefined) throw new TypeError(`Not a failpoint: ${text}`);
  return { point, harm: harm as Harm, requestId };
}

function raise(fault: Error): never {
  throw fault;
}
