import { AppError } from '@plinth/errors';
import { requestContext, runInContext } from '@plinth/observability';
import type { Bus, ByteStream, StreamReply } from '../bus';
import {
  callTo,
  drained,
  failureOf,
  GET,
  MEBIBYTE,
  serve,
  source,
  until,
  uploadOf,
  type BusNetwork,
} from './conformance-kit';

/** What every transport must guarantee for byte streams. */
export function describeStreamConformance(network: () => BusNetwork): void {
  describe('a byte stream', () => {
    let server: Bus;
    let caller: Bus;

    beforeEach(async () => {
      server = await network().connect('control-plane');
      caller = await network().connect('gateway');
    });

    const asStream = (stream: ByteStream): StreamReply => ({ headers: { 'content-type': 'text/csv' }, stream });

    it('arrives intact going up, 64 MiB in flat memory', async () => {
      const upload = source(64 * MEBIBYTE);
      await serve(server, GET, async (call) => drained(uploadOf(call), () => upload.produced * 64 * 1024));
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

    it('is not produced for a caller that has gone before it began', async () => {
      let go: (() => void) | undefined;
      let ended = false;
      const next = async () => ({ done: false, value: Buffer.from('unread') });
      const end = async () => ({ done: (ended = true), value: undefined });
      await serve(server, GET, async () => {
        await new Promise<void>((resolve) => (go = resolve));
        return asStream({ [Symbol.asyncIterator]: () => ({ next, return: end }) as AsyncIterator<Uint8Array> });
      });
      const left = new AbortController();
      const context = { requestId: 'r', signal: left.signal };
      const call = failureOf(runInContext(context, () => caller.callForStream(GET, callTo(1))));
      await until(() => go !== undefined, 'the handler runs');
      left.abort();
      await call;
      go?.();
      await until(() => ended, 'the producer is told');
    });

    it('arrives intact when it is short, and when it is empty', async () => {
      async function* bytes(count: number): AsyncGenerator<Uint8Array> {
        if (count > 0) yield Buffer.alloc(count, 'é');
      }
      await serve(server, GET, async ({ path: { deploymentId } }) => asStream(bytes(deploymentId - 1)));
      for (const count of [0, 1, 1_001, 64 * 1024, 64 * 1024 + 1]) {
        const { headers, stream } = await caller.callForStream(GET, callTo(count + 1));
        const chunks: Uint8Array[] = [];
        for await (const chunk of stream) chunks.push(chunk);
        expect(headers).toEqual({ 'content-type': 'text/csv' });
        expect(Buffer.concat(chunks).equals(Buffer.alloc(count, 'é'))).toBe(true);
      }
    });

    it('stops the uploader when the handler answers without reading on', async () => {
      const upload = source(64 * MEBIBYTE);
      await serve(server, GET, async (call) => {
        await uploadOf(call)[Symbol.asyncIterator]().next();
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
        for await (const chunk of uploadOf(call)) expect(chunk.length).toBeGreaterThan(0);
      });
      const error = await failureOf(caller.call(GET, callTo(1, { upload: crashing() })));
      expect(error).toMatchObject({ code: 'service.internal' });
      expect(error.message).not.toContain('swordfish');
    });
  });
}
