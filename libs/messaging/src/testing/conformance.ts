import { operation } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { markReplayed, requestContext, type RequestContext, runInContext } from '@plinth/observability';
import type { Bus, CallOptions } from '../bus';
import {
  callTo,
  failureOf,
  GET,
  MEBIBYTE,
  never,
  serve,
  silent,
  source,
  until,
  type AnyCall,
  type BusNetwork,
} from './conformance-kit';
import { describeOwnerConformance } from './conformance-owners';
import { describeStreamConformance } from './conformance-streams';

/** What every transport must guarantee. */
export function describeBusConformance(network: () => BusNetwork): void {
  describeStreamConformance(network);
  describeOwnerConformance(network);

  let server: Bus;
  let caller: Bus;

  beforeEach(async () => {
    server = await network().connect('control-plane');
    caller = await network().connect('gateway');
  });

  describe('a call', () => {
    it('fails with service.unavailable at once when nobody serves the operation', async () => {
      const started = Date.now();
      await expect(caller.call(GET, callTo(1))).rejects.toMatchObject({ code: 'service.unavailable', status: 503 });
      expect(Date.now() - started).toBeLessThan(1_000);
    });

    it('brings an AppError with its details', async () => {
      const details = [{ path: '/body/name', message: 'is taken' }];
      await serve(server, GET, async () => {
        throw new AppError('request.rate_limited', 'Too many', { details, retryAfterSeconds: 7, cause: 'inner' });
      });
      const error = await failureOf(caller.call(GET, callTo(1)));
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code: 'request.rate_limited', message: 'Too many', details, retryAfterSeconds: 7 });
      expect(error.cause).toBeUndefined();
    });

    it('turns a crash into service.internal without its text, and logs the crash where it happened', async () => {
      const logged: unknown[] = [];
      const crashing = await network().connect('control-plane', { ...silent, error: ({ err }) => logged.push(err) });
      const crash = new Error('password is swordfish');
      await serve(crashing, GET, async () => {
        throw crash;
      });
      const error = await failureOf(caller.call(GET, callTo(1)));
      expect(error).toMatchObject({ code: 'service.internal', status: 500 });
      expect(JSON.stringify(error) + error.message + error.stack).not.toContain('swordfish');
      expect(logged).toEqual([crash]);
    });

    it('turns a reply that cannot be encoded into service.internal', async () => {
      await serve(server, GET, async () => ({ id: 1n }));
      await expect(caller.call(GET, callTo(1))).rejects.toMatchObject({ code: 'service.internal' });
      await expect(caller.callForJson(GET, callTo(1))).rejects.toMatchObject({ code: 'service.internal' });
    });

    it.each([{ id: 1, name: '"é\u2028' }, [], 'text', null])(
      'gives the JSON of %j to who passes it on',
      async (reply) => {
        await serve(server, GET, async () => reply);
        expect(await caller.callForJson(GET, callTo(1))).toBe(JSON.stringify(reply));
      },
    );

    it('gives no JSON of a reply that there is not', async () => {
      await serve(server, GET, async () => undefined);
      expect(await caller.callForJson(GET, callTo(1))).toBeUndefined();
    });

    it('ends at its deadline and aborts the signal of the slow handler', async () => {
      let signal: AbortSignal | undefined;
      await serve(server, GET, () => never((signal = requestContext()?.signal)));
      await expect(caller.call(GET, callTo(1), { timeoutMs: 100 })).rejects.toMatchObject({
        code: 'service.deadline_exceeded',
        status: 504,
      });
      await until(() => signal?.aborted === true, 'the handler is told');
    });

    it('ends when the request on whose behalf it is made is aborted', async () => {
      await serve(server, GET, () => never());
      const outer = new AbortController();
      const call = runInContext({ requestId: 'r', signal: outer.signal }, () => caller.call(GET, callTo(1)));
      outer.abort();
      await expect(call).rejects.toMatchObject({ code: 'service.deadline_exceeded' });
    });

    it('aborts the signal of the handler whose caller has gone', async () => {
      let signal: AbortSignal | undefined;
      await serve(server, GET, () => never((signal = requestContext()?.signal)));
      const outer = new AbortController();
      const context = { requestId: 'r', signal: outer.signal };
      // Longer than the test waits: a deadline would tell the handler, too.
      const call = runInContext(context, () => caller.call(GET, callTo(1), { timeoutMs: 600_000 }));
      await until(() => signal !== undefined, 'the handler runs');
      expect(signal?.aborted).toBe(false);
      outer.abort();
      await expect(call).rejects.toMatchObject({ code: 'service.deadline_exceeded' });
      await until(() => signal?.aborted === true, 'the handler is told');
    });

    it('tells the handler of a caller who had gone before', async () => {
      let signal: AbortSignal | undefined;
      await serve(server, GET, () => never((signal = requestContext()?.signal)));
      const late = { requestId: 'r', signal: AbortSignal.abort() };
      const call = runInContext(late, () => caller.call(GET, callTo(1), { timeoutMs: 600_000 }));
      await expect(call).rejects.toMatchObject({ code: 'service.deadline_exceeded' });
      await until(() => signal?.aborted === true, 'the handler is told');
    });

    it('hands over copies, never references, in both directions', async () => {
      const kept = { id: 1, tags: ['a'] };
      let received: AnyCall | undefined;
      await serve(server, GET, async (call) => {
        received = call;
        return kept;
      });
      const sent = callTo(1, { body: { nested: { value: 1 } } });
      const reply = await caller.call(GET, sent);
      expect(reply).toEqual(kept);
      expect(reply).not.toBe(kept);
      expect(received).toEqual(sent);
      expect(received?.body).not.toBe(sent.body);
    });

    it('answers undefined where the handler has nothing to say', async () => {
      await serve(server, GET, async () => undefined);
      await expect(caller.call(GET, callTo(1))).resolves.toBeUndefined();
    });

    it('shows the handler the request id, the trace, the client, the address it used and the idempotency claim', async () => {
      await serve(server, GET, async () => ({ ...requestContext(), signal: undefined }));
      const context = {
        requestId: 'request-1',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        clientIp: '192.0.2.1',
        origin: 'http://127.0.0.1:4000',
        idempotency: { operationId: GET, key: 'k', fingerprint: 'f' },
      };
      const seen = await runInContext({ ...context, operationId: 'outer' }, () => caller.call(GET, callTo(1)));
      expect(seen).toEqual({ ...context, operationId: GET });
    });

    it('keeps the idempotency claim of another operation to itself, unless the caller passes it on', async () => {
      await serve(server, GET, async () => ({ claim: requestContext()?.idempotency }));
      const claim = { operationId: 'outer', key: 'k', fingerprint: 'f' };
      const asked = (options?: CallOptions) =>
        runInContext({ requestId: 'r', idempotency: claim }, () => caller.call(GET, callTo(1), options));
      expect(await asked()).toEqual({});
      expect(await asked({ passesClaimOn: true })).toEqual({ claim: { ...claim, operationId: GET } });
    });

    it('tells the caller that a reply is the stored one of an earlier request', async () => {
      await serve(server, GET, async () => (markReplayed(), { id: 1 }));
      const context: RequestContext = { requestId: 'r' };
      await runInContext(context, () => caller.call(GET, callTo(1)));
      expect(context.replayed).toBe(true);
    });

    it('shows the handler what the audit log shall say, without secrets', async () => {
      let audit: unknown;
      await serve(server, 'setEnvVariables', async () => (audit = requestContext()?.audit));
      const body = { env_variables: [{ name: 'CUBEJS_DB_PASS', value: 'swordfish' }] };
      await caller.call('setEnvVariables', callTo(7, { body }));
      expect(audit).toMatchObject({ event: operation('setEnvVariables').audit?.event, deploymentId: 7 });
      expect(JSON.stringify(audit)).toContain('CUBEJS_DB_PASS');
      expect(JSON.stringify(audit)).not.toContain('swordfish');
    });

    it('carries a request and a reply of 2 MiB', async () => {
      await serve(server, GET, async ({ body }) => body);
      const body = { text: 'é'.repeat(MEBIBYTE) };
      await expect(caller.call(GET, callTo(1, { body }))).resolves.toEqual(body);
    });

    it('is taken by exactly one of the servers of a service, and every one gets some', async () => {
      const second = await network().connect('control-plane');
      const taken = { first: 0, second: 0 };
      await serve(server, GET, async () => taken.first++);
      await serve(second, GET, async () => taken.second++);
      await Promise.all(Array.from({ length: 100 }, () => caller.call(GET, callTo(1))));
      expect(taken.first + taken.second).toBe(100);
      expect(Math.min(taken.first, taken.second)).toBeGreaterThan(0);
    });
  });

  it('lets no notice that cannot be sent fail its sender, and logs it', async () => {
    const logged: unknown[] = [];
    const sender = await network().connect('control-plane', { ...silent, warn: ({ topic }) => logged.push(topic) });
    expect(() => sender.publish({ topic: 'control-plane.thing.changed', payload: { id: 1n } })).not.toThrow();
    expect(logged).toEqual(['control-plane.thing.changed']);
  });

  it('gives a notice to every subscriber, until that one ends its subscription', async () => {
    const received: string[] = [];
    const end = server.subscribe('control-plane.thing.changed', ({ id }) => received.push(`server ${id}`));
    caller.subscribe('control-plane.thing.changed', ({ id }) => received.push(`caller ${id}`));
    await until(() => {
      server.publish({ topic: 'control-plane.thing.changed', payload: { id: 1 } });
      return received.includes('server 1') && received.includes('caller 1');
    }, 'both have heard');
    end();
    await until(() => {
      server.publish({ topic: 'control-plane.thing.changed', payload: { id: 2 } });
      return received.includes('caller 2');
    }, 'the other one hears on');
    expect(received).not.toContain('server 2');
  });

  describe('closing', () => {
    it('finishes what runs and refuses what is new', async () => {
      const waiting: (() => void)[] = [];
      await serve(server, GET, async () => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return 'finished';
      });
      const running = caller.call(GET, callTo(1));
      await until(() => waiting.length > 0, 'the handler runs');
      const closing = server.close(5_000);
      await until(
        () =>
          caller.call(GET, callTo(2), { timeoutMs: 200 }).then(
            () => false,
            ({ code }: AppError) => code === 'service.unavailable',
          ),
        'new calls are refused',
      );
      for (const release of waiting) release();
      await expect(running).resolves.toBe('finished');
      await closing;
      expect(server.isConnected()).toBe(false);
      await expect(server.call(GET, callTo(1))).rejects.toMatchObject({ code: 'service.unavailable' });
    });

    it('finishes a streamed reply', async () => {
      const download = source(8 * MEBIBYTE);
      await serve(server, GET, async () => ({ headers: {}, stream: download.stream }));
      const { stream } = await caller.callForStream(GET, callTo(1));
      let closing: Promise<void> | undefined;
      let read = 0;
      for await (const chunk of stream) {
        closing ??= server.close(5_000);
        read += chunk.length;
      }
      await closing;
      expect(read).toBe(8 * MEBIBYTE);
      expect(download.hash).not.toBe('');
    });

    it('aborts what still runs after the grace period', async () => {
      let signal: AbortSignal | undefined;
      await serve(server, GET, () => never((signal = requestContext()?.signal)));
      const running = failureOf(caller.call(GET, callTo(1), { timeoutMs: 5_000 }));
      await until(() => signal !== undefined, 'the handler runs');
      await server.close(50);
      expect(signal?.aborted).toBe(true);
      await expect(running).resolves.toMatchObject({ code: 'service.unavailable' });
    });

    it('answers for what runs on after that, whose end nobody will hear of', async () => {
      let started = false;
      await serve(server, GET, () => {
        started = true;
        return never();
      });
      const running = failureOf(caller.call(GET, callTo(1), { timeoutMs: 600_000 }));
      await until(() => started, 'the handler runs');
      await server.close(50);
      await expect(running).resolves.toMatchObject({ code: 'service.deadline_exceeded' });
    });
  });
}
