import { get, type IncomingMessage } from 'node:http';
import { AppError } from '@plinth/errors';
import { requestContext } from '@plinth/observability';
import { until } from '@plinth/testing';
import { DEPLOYMENT_HOST, startDataEdge, TOKEN, transports, type DataEdge } from './data-fixture';

const MEBIBYTE = 1024 * 1024;
const TOTAL = 50 * MEBIBYTE;
const CHUNK = Buffer.alloc(64 * 1024, 'x');
/** What sockets, streams and credit may hold between an engine and a client that does not read. */
const UNDER_WAY = 8 * MEBIBYTE;

const holds = (what: string, condition: () => boolean) => until(what, async () => condition(), Boolean);

describe.each(transports)('a reply of an engine over %s', (transport) => {
  let edge: DataEdge;
  let produced: number;
  let stopped: boolean;
  let signal: AbortSignal | undefined;

  beforeEach(async () => {
    edge = await startDataEdge(transport);
    [produced, stopped, signal] = [0, false, undefined];
  });
  afterEach(() => edge.stop());

  async function* rows(bytes = TOTAL): AsyncGenerator<Uint8Array> {
    try {
      for (; produced < bytes; produced += CHUNK.length) yield CHUNK;
    } finally {
      stopped = true;
    }
  }
  const serve = (stream: AsyncGenerator<Uint8Array>) => {
    edge.engine = async () => {
      signal = requestContext()?.signal;
      return { headers: { status: '200', 'content-type': 'application/json' }, stream };
    };
  };
  const ask = () => {
    const asked = get(`${edge.origin}/cubejs-api/v1/load`, {
      headers: { authorization: TOKEN, host: DEPLOYMENT_HOST },
    });
    asked.on('error', () => undefined);
    return asked;
  };
  const replied = () => new Promise<IncomingMessage>((resolve) => ask().once('response', resolve));
  const standsStill = async () => {
    let before = -1;
    const isStill = (): boolean => {
      const [earlier, now] = [before, (before = produced)];
      return earlier === now && now > 0;
    };
    await holds('the engine waits', isStill);
  };

  it('that breaks off is broken off, and what came before has come', async () => {
    serve(
      (async function* () {
        yield CHUNK;
        throw new AppError('service.unavailable', 'The engine has gone');
      })(),
    );
    const reply = await replied();
    let read = 0;
    reply.on('data', (chunk: Buffer) => void (read += chunk.length)).on('error', () => undefined);
    await new Promise((resolve) => reply.once('close', resolve));
    expect({ read, isComplete: reply.complete }).toEqual({ read: CHUNK.length, isComplete: false });
  });

  it('of 50 MiB waits for a slow reader in flat memory, and arrives whole', async () => {
    serve(rows());
    const reply = await replied();
    await standsStill();
    expect(produced).toBeLessThan(UNDER_WAY);
    let read = 0;
    let ahead = 0;
    for await (const chunk of reply) {
      read += (chunk as Buffer).length;
      ahead = Math.max(ahead, produced - read);
    }
    expect(read).toBe(TOTAL);
    expect(ahead).toBeLessThan(UNDER_WAY);
  });

  it('is called off when its client leaves', async () => {
    serve(rows());
    const reply = await replied();
    reply.on('error', () => undefined).destroy();
    await holds('the engine is told', () => stopped && signal?.aborted === true);
    expect(produced).toBeLessThan(UNDER_WAY);
  });

  it('is called off when its client leaves before it begins', async () => {
    edge.engine = async () => {
      signal = requestContext()?.signal;
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal?.reason)));
    };
    const asked = ask();
    await holds('the engine is asked', () => signal !== undefined);
    asked.destroy();
    await holds('the engine is told', () => signal?.aborted === true);
    await holds('the request is recorded', () => edge.log().includes('"status":499'));
    expect(edge.log()).not.toContain('"level":"error"');
  });
});
