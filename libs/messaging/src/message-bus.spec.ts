import { runInContext } from '@plinth/observability';
import { unavailable } from './bus-errors';
import { InProcessHub, InProcessTransport } from './in-process-transport';
import { MessageBus } from './message-bus';
import { requestSubject } from './subjects';
import { callTo, failureOf, GET, silent } from './testing/conformance-kit';
import type { Outcome } from './transport';

/** What refuses calls without having looked at them, as a worker that has stood still. */
describe('a call that is refused before it is begun', () => {
  let hub: InProcessHub;
  let bus: MessageBus;
  let asked: number;
  const refused = (notBegun: boolean): Outcome => ({ kind: 'error', error: unavailable('Not now').toWire(), notBegun });
  const respond = (outcome: (attempt: number) => Outcome): void => {
    hub.add(requestSubject('control-plane', GET), async () => outcome((asked += 1)));
  };

  beforeEach(() => {
    hub = new InProcessHub();
    bus = new MessageBus(new InProcessTransport(hub, silent), silent);
    asked = 0;
  });
  afterEach(() => bus.close(0));

  it('fails with what was said when its time is up, and has not been asked in a loop', async () => {
    respond(() => refused(true));
    const error = await failureOf(bus.call(GET, callTo(1), { timeoutMs: 700 }));
    expect(error).toMatchObject({ code: 'service.unavailable', message: 'Not now', retryAfterSeconds: 1 });
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThan(6);
  });

  it('is asked no more when its caller has gone', async () => {
    const leaving = new AbortController();
    respond((attempt) => {
      if (attempt === 2) leaving.abort();
      return refused(true);
    });
    const context = { requestId: 'r', signal: leaving.signal };
    await failureOf(runInContext(context, () => bus.call(GET, callTo(1))));
    expect(asked).toBe(2);
  });

  it('is not asked again when it may have been begun', async () => {
    respond(() => refused(false));
    await failureOf(bus.call(GET, callTo(1)));
    expect(asked).toBe(1);
  });

  it('is answered when it is taken after all', async () => {
    respond((attempt) => (attempt < 3 ? refused(true) : { kind: 'reply', reply: 'taken' }));
    await expect(bus.call(GET, callTo(1))).resolves.toBe('taken');
  });
});
