import { createHash, randomBytes } from 'node:crypto';
import { systemPrincipal } from '@plinth/auth';
import { operation, type OperationId, type ServiceName } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { requestContext, runInContext } from '@plinth/observability';
import type { Bus, ByteStream, Call, Handler, ServeOptions, StreamReply } from './bus';
import type { BusLogger } from './logger';

/** What a transport's suite provides: connections that reach each other, closed after each test. */
export interface BusNetwork {
  connect(name: ServiceName, logger?: BusLogger): Promise<Bus>;
}

type AnyCall = Call<OperationId> & { path: { deploymentId: number } };
type AnyHandler = (call: AnyCall) => Promise<unknown>;

/** An operation of control-plane, any one of which may take the call. */
const GET = 'getDeployment';
/** An operation of build-worker on a deployment, which its owner takes. */
const OWNED = 'fileHashes';
const MEBIBYTE = 1024 * 1024;
const DEADLINE_MS = 10_000;

export const silent: BusLogger = { info: () => {}, warn: () => {}, error: () => {} };

/** A call on a deployment, for any operation. */
export const callTo = <Id extends OperationId>(deploymentId: number, more: object = {}): Call<Id> =>
  ({ principal: systemPrincipal(1), path: { deploymentId }, query: {}, ...more }) as unknown as Call<Id>;

export const serve = (bus: Bus, operationId: OperationId, handler: AnyHandler, options?: ServeOptions): Promise<void> =>
  bus.serve(new Map([[operationId, handler as Handler]]), options);

/** Polls until the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Still not so after ${DEADLINE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const failureOf = (promise: Promise<unknown>): Promise<AppError> =>
  promise.then(
    () => Promise.reject(new Error('Expected a failure')),
    (thrown: unknown) => thrown as AppError,
  );

const never = (signal?: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** A stream of the size whose progress can be watched. */
function source(
  bytes: number,
  chunkBytes = 64 * 1024,
): { stream: ByteStream; produced: number; hash: string; stopped: boolean } {
  const chunk = randomBytes(chunkBytes);
  const hash = createHash('sha256');
  const state = { stream: produce(), produced: 0, hash: '', stopped: false };
  async function* produce(): AsyncGenerator<Uint8Array> {
    try {
      for (let left = bytes; left > 0; left -= chunkBytes) {
        chunk.writeUInt32BE(state.produced++);
        hash.update(chunk);
        yield chunk;
      }
      state.hash = hash.digest('hex');
    } finally {
      state.stopped = true;
    }
  }
  return state;
}

/** Reads a stream to its end, noting how far its producer was ahead at worst (in bytes). */
async function drained(stream: ByteStream, producedBytes: () => number): Promise<{ hash: string; ahead: number }> {
  const hash = createHash('sha256');
  let read = 0;
  let ahead = 0;
  for await (const chunk of stream) {
    ahead = Math.max(ahead, producedBytes() - read);
    read += chunk.length;
    hash.update(chunk);
  }
  return { hash: hash.digest('hex'), ahead };
}

/** What every transport must guarantee. */
export function describeBusConformance(network: () => BusNetwork): void {
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

    it('shows the handler the request id, the trace, the client address and the idempotency claim', async () => {
      await serve(server, GET, async () => ({ ...requestContext(), signal: undefined }));
      const context = {
        requestId: 'request-1',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        clientIp: '192.0.2.1',
        idempotency: { key: 'k', fingerprint: 'f' },
      };
      const seen = await runInContext({ ...context, operationId: 'outer' }, () => caller.call(GET, callTo(1)));
      expect(seen).toEqual({ ...context, operationId: GET });
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
      const taken = [0, 0];
      await serve(server, GET, async () => taken[0]!++);
      await serve(second, GET, async () => taken[1]!++);
      await Promise.all(Array.from({ length: 100 }, () => caller.call(GET, callTo(1))));
      expect(taken[0]! + taken[1]!).toBe(100);
      expect(Math.min(...taken)).toBeGreaterThan(0);
    });
  });

  describe('a byte stream', () => {
    const asStream = (stream: ByteStream): StreamReply => ({ headers: { 'content-type': 'text/csv' }, stream });

    it('arrives intact going up, 64 MiB in flat memory', async () => {
      const upload = source(64 * MEBIBYTE);
      await serve(server, GET, async (call) => drained(call.upload!, () => upload.produced * 64 * 1024));
      const { hash, ahead } = (await caller.call(GET, callTo(1, { upload: upload.stream }), {
        timeoutMs: 60_000,
      })) as unknown as {
        hash: string;
        ahead: number;
      };
      expect(hash).toBe(upload.hash);
      expect(ahead).toBeLessThanOrEqual(2 * MEBIBYTE);
    });

    it('arrives intact coming down, 64 MiB in flat memory', async () => {
      const download = source(64 * MEBIBYTE);
      await serve(server, GET, async () => asStream(download.stream));
      const { headers, stream } = await caller.callForStream(GET, callTo(1));
      const { hash, ahead } = await drained(stream, () => download.produced * 64 * 1024);
      expect(headers).toEqual({ 'content-type': 'text/csv' });
      expect(hash).toBe(download.hash);
      expect(ahead).toBeLessThanOrEqual(2 * MEBIBYTE);
    });

    it('does not run ahead of a consumer that has stopped reading', async () => {
      const download = source(64 * MEBIBYTE);
      await serve(server, GET, async () => asStream(download.stream));
      const { stream } = await caller.callForStream(GET, callTo(1));
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();
      let before = 0;
      let unchanged = 0;
      await until(() => {
        unchanged = before === download.produced ? unchanged + 1 : 0;
        before = download.produced;
        return unchanged === 20;
      }, 'the producer stands still');
      expect(download.produced * 64 * 1024).toBeLessThanOrEqual(2 * MEBIBYTE);
      await iterator.return?.();
    });

    it('stops its producer when the consumer cancels, and aborts the signal of the handler', async () => {
      const download = source(64 * MEBIBYTE);
      let signal: AbortSignal | undefined;
      await serve(server, GET, async () => {
        signal = requestContext()?.signal;
        return asStream(download.stream);
      });
      const { stream } = await caller.callForStream(GET, callTo(1));
      for await (const chunk of stream) if (chunk.length > 0) break;
      await until(() => download.stopped && signal?.aborted === true, 'the producer has stopped');
      expect(download.produced * 64 * 1024).toBeLessThan(8 * MEBIBYTE);
    });

    it('stops the uploader when the handler answers without reading on', async () => {
      const upload = source(64 * MEBIBYTE);
      await serve(server, GET, async (call) => {
        await call.upload![Symbol.asyncIterator]().next();
        throw new AppError('request.too_large', 'Too large');
      });
      const call = caller.call(GET, callTo(1, { upload: upload.stream }));
      await expect(call).rejects.toMatchObject({ code: 'request.too_large' });
      await until(() => upload.stopped, 'the uploader has stopped');
    });

    it('fails for its consumer with the AppError of its producer, after what came before', async () => {
      async function* failing(): ByteStream & AsyncGenerator<Uint8Array> {
        yield Buffer.from('first');
        throw new AppError('file.not_found', 'Gone');
      }
      await serve(server, GET, async () => asStream(failing()));
      const { stream } = await caller.callForStream(GET, callTo(1));
      const iterator = stream[Symbol.asyncIterator]();
      expect(Buffer.from((await iterator.next()).value as Uint8Array).toString()).toBe('first');
      await expect(iterator.next()).rejects.toMatchObject({ code: 'file.not_found', message: 'Gone' });
    });

    it('fails as service.internal without the text when its producer crashes', async () => {
      async function* crashing(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('first');
        throw new Error('swordfish');
      }
      await serve(server, GET, async (call) => {
        for await (const chunk of call.upload!) expect(chunk.length).toBeGreaterThan(0);
      });
      const error = await failureOf(caller.call(GET, callTo(1, { upload: crashing() })));
      expect(error).toMatchObject({ code: 'service.internal' });
      expect(error.message).not.toContain('swordfish');
    });
  });

  describe('owners', () => {
    const deployments = Array.from({ length: 30 }, (_, index) => index + 1);
    const ownersSeen = (): Promise<string[]> =>
      Promise.all(deployments.map((id) => caller.call(OWNED, callTo(id)) as unknown as Promise<string>));
    const startWorker = async (workerId: string): Promise<Bus> => {
      const worker = await network().connect('build-worker');
      await serve(worker, OWNED, async () => workerId, { workerId });
      return worker;
    };
    const bothSeen = async (): Promise<boolean> => new Set(await ownersSeen()).size === 2;

    it('get every call on their deployments, and a joining worker takes only what becomes its own', async () => {
      await startWorker('a');
      await startWorker('b');
      await until(async () => {
        const [first, second] = [await ownersSeen(), await ownersSeen()];
        return new Set(first).size === 2 && first.join() === second.join();
      }, 'calls on one deployment go to one worker');
      const before = await ownersSeen();
      await startWorker('c');
      await until(async () => (await ownersSeen()).includes('c'), 'the third worker owns something');
      const after = await ownersSeen();
      expect(after.every((owner, index) => owner === before[index] || owner === 'c')).toBe(true);
    });

    it('hand over without a failed call when one leaves', async () => {
      await startWorker('a');
      const leaving = await startWorker('b');
      await until(bothSeen, 'both workers own something');
      const closing = leaving.close();
      while ((await ownersSeen()).includes('b'));
      await closing;
      expect(new Set(await ownersSeen())).toEqual(new Set(['a']));
    });

    it('are passed over without a failed call when one is gone though its lease still runs', async () => {
      const worker = await startWorker('a');
      await until(async () => (await ownersSeen()).every((owner) => owner === 'a'), 'the worker is known');
      worker.publish({ topic: 'build-worker.worker.alive', payload: { workerId: 'ghost' } });
      expect(new Set(await ownersSeen())).toEqual(new Set(['a']));
    });
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
      let release = (): void => {};
      let started = false;
      await serve(server, GET, async () => {
        started = true;
        await new Promise<void>((resolve) => (release = resolve));
        return 'finished';
      });
      const running = caller.call(GET, callTo(1));
      await until(() => started, 'the handler runs');
      const closing = server.close(5_000);
      await until(
        () =>
          caller.call(GET, callTo(2), { timeoutMs: 200 }).then(
            () => false,
            ({ code }: AppError) => code === 'service.unavailable',
          ),
        'new calls are refused',
      );
      release();
      await expect(running).resolves.toBe('finished');
      await closing;
      expect(server.isConnected()).toBe(false);
      await expect(server.call(GET, callTo(1))).rejects.toMatchObject({ code: 'service.unavailable' });
    });

    it('finishes a streamed reply', async () => {
      const download = source(8 * MEBIBYTE);
      await serve(server, GET, async () => ({ headers: {}, stream: download.stream }));
      const { stream } = await caller.callForStream(GET, callTo(1));
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();
      const closing = server.close(5_000);
      let read = 1;
      while (!(await iterator.next()).done) read++;
      await closing;
      expect(read).toBe(download.produced);
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
  });
}
