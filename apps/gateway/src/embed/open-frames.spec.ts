import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import { createLogger } from '@plinth/observability';
import { until } from '@plinth/testing';
import { OpenFrames } from './open-frames';

const over = (): Promise<void> => Promise.reject(new AppError('auth.credential_invalid', 'The session is over'));
const goesOn = (): Promise<void> => Promise.resolve();

/** Frames beside a bus that a test sends notices on. */
function started(heldMs = 86_400_000) {
  const handlers: ((payload: Record<string, unknown>) => void)[] = [];
  const bus = { subscribe: (_topic: string, handler: (typeof handlers)[0]) => handlers.push(handler) };
  const frames = new OpenFrames(bus as unknown as Bus, createLogger('gateway', 'silent'), heldMs);
  const tell = (tenantId: number): void => handlers[0]?.({ tenantId });
  return { frames, tell };
}

describe('a question whether a session goes on', () => {
  const never = new AbortController().signal;

  it('is refused at once for a session that is over', async () => {
    await expect(started().frames.hold(1, over, never)).rejects.toMatchObject({ status: 401 });
  });

  it('is refused when the session ends while it is looked at for the first time', async () => {
    const { frames, tell } = started();
    let looked = (): void => undefined;
    const looks = [new Promise<void>((resolve) => (looked = resolve))];
    const refused = expect(frames.hold(1, () => looks.pop() ?? over(), never)).rejects.toMatchObject({ status: 401 });
    tell(1);
    await new Promise<void>((resolve) => setImmediate(resolve));
    looked();
    await refused;
  });

  it("is refused when a notice comes and the session is over, and stays open when it is not, or another tenant's", async () => {
    const { frames, tell } = started();
    let check = goesOn;
    let looks = 0;
    let ended = false;
    const held = frames
      .hold(1, () => ((looks += 1), check()), never)
      .catch((error: unknown) => {
        ended = true;
        return error;
      });
    await until(
      'the first look',
      () => looks,
      (now) => now === 1,
    );
    tell(2);
    tell(1);
    await until(
      'the second look',
      () => looks,
      (now) => now === 2,
    );
    expect(ended).toBe(false);
    check = over;
    tell(1);
    expect(await held).toMatchObject({ status: 401 });
  });

  it('stays open when what it asks does not answer', async () => {
    const { frames, tell } = started();
    let looks = 0;
    const busy = (): Promise<void> => Promise.reject(new AppError('service.unavailable', 'Busy'));
    const held = frames.hold(1, () => ((looks += 1) === 1 ? goesOn() : busy()), never);
    await until(
      'the first look',
      () => looks,
      (now) => now === 1,
    );
    tell(1);
    await until(
      'the second look',
      () => looks,
      (now) => now === 2,
    );
    frames.close();
    await held;
  });

  it('is answered after a while, when the client goes, and when the gateway stops', async () => {
    await started(1).frames.hold(1, goesOn, never);
    const gone = new AbortController();
    const left = started().frames.hold(1, goesOn, gone.signal);
    gone.abort();
    await left;
    await started().frames.hold(1, goesOn, AbortSignal.abort());
    const { frames } = started();
    const held = frames.hold(1, goesOn, never);
    frames.close();
    await held;
    await frames.hold(1, goesOn, never);
  });
});
