import { connect as connectToNats, headers } from 'nats';
import type { ServiceName } from '@plinth/contract';
import { startNatsServer, type NatsServer } from '@plinth/testing';
import type { Bus } from './bus';
import { describeBusConformance } from './testing/conformance';
import {
  callTo,
  failureOf,
  MEBIBYTE,
  never,
  serve,
  silent,
  until,
  uploadOf,
  type BusNetwork,
} from './testing/conformance-kit';
import { createBus } from './create-bus';
import type { BusLogger } from './logger';

describe('the bus over NATS', () => {
  let nats: NatsServer;
  let buses: Bus[];

  const connect = async (name: ServiceName, logger: BusLogger = silent, streams = {}): Promise<Bus> => {
    const bus = await createBus({ name, logger, natsUrl: nats.url, streams });
    buses.push(bus);
    return bus;
  };
  const network: BusNetwork = { connect };

  beforeAll(async () => {
    nats = await startNatsServer();
  });

  beforeEach(() => {
    buses = [];
  });

  afterEach(() => Promise.all(buses.map((bus) => bus.close(0))));

  afterAll(() => nats.stop());

  describeBusConformance(() => network);

  it('answers a malformed request with service.internal, ignores what cannot be answered, and serves on', async () => {
    const server = await connect('control-plane');
    const caller = await connect('gateway');
    await serve(server, 'getDeployment', async () => 'fine');
    const stranger = await connectToNats({ servers: nats.url });
    const subject = 'rpc.control-plane.getDeployment';
    const timedOut = headers();
    timedOut.set('Request-Id', 'r');
    timedOut.set('Timeout-Ms', '-5');
    for (const [payload, options] of [
      ['{not json', {}],
      ['null', {}],
      ['{}', { headers: timedOut }],
    ] as const) {
      const reply = await stranger.request(subject, payload, { timeout: 2_000, ...options });
      expect(reply.json()).toMatchObject({ error: { code: 'service.internal' } });
    }
    stranger.publish(subject, 'nobody waits');
    stranger.publish('evt.build-worker.worker.alive', '{not json');
    await stranger.close();
    await expect(caller.call('getDeployment', callTo(1))).resolves.toBe('fine');
  });

  it('brings a short stream in its reply, but to a caller of an earlier version as a stream', async () => {
    const server = await connect('control-plane');
    const caller = await connect('gateway');
    await serve(server, 'getDeployment', async () => ({
      headers: {},
      stream: (async function* () {
        yield Buffer.from('short');
      })(),
    }));
    const stranger = await connectToNats({ servers: nats.url });
    const frames: string[] = [];
    stranger.subscribe('stream.>', { callback: (_error, { subject }) => frames.push(subject) });
    await stranger.flush();
    const { stream } = await caller.callForStream('getDeployment', callTo(1));
    for await (const chunk of stream) expect(Buffer.from(chunk).toString()).toBe('short');
    const earlier = headers();
    earlier.set('Request-Id', 'r');
    earlier.set('Timeout-Ms', '2000');
    const asked = JSON.stringify({ call: callTo(1) });
    const reply = await stranger.request('rpc.control-plane.getDeployment', asked, {
      timeout: 2_000,
      headers: earlier,
    });
    expect(reply.json()).toMatchObject({ stream: expect.stringMatching(/^stream\.control-plane\./) as string });
    expect(frames).toEqual([]);
    await stranger.close();
  });

  it('lets no notice that is too large for NATS fail its sender, and logs it', async () => {
    const logged: unknown[] = [];
    const sender = await connect('control-plane', { ...silent, warn: ({ topic }) => logged.push(topic) });
    const payload = { text: 'x'.repeat(2 * MEBIBYTE) };
    expect(() => sender.publish({ topic: 'control-plane.thing.changed', payload })).not.toThrow();
    expect(logged).toEqual(['control-plane.thing.changed']);
  });

  it('ends a stream within the idle time when the other side has died', async () => {
    const server = await connect('control-plane', silent, { idleMs: 300 });
    await serve(server, 'getDeployment', async (call) => {
      for await (const chunk of uploadOf(call)) expect(chunk.length).toBeGreaterThan(0);
    });
    const stranger = await connectToNats({ servers: nats.url });
    const request = headers();
    request.set('Request-Id', 'r');
    request.set('Timeout-Ms', '60000');
    request.set('Upload-Stream', 'stream.gateway.dead.1');
    const reply = await stranger.request('rpc.control-plane.getDeployment', JSON.stringify({ call: callTo(1) }), {
      timeout: 10_000,
      headers: request,
    });
    expect(reply.json()).toMatchObject({ error: { code: 'service.unavailable' } });
    await stranger.close();
  });

  it('ends the calls that run when the NATS server dies, for their replies will not come', async () => {
    const server = await connect('control-plane');
    const caller = await connect('gateway');
    let started = false;
    await serve(server, 'getDeployment', () => {
      started = true;
      return never();
    });
    const call = failureOf(caller.call('getDeployment', callTo(1), { timeoutMs: 600_000 }));
    await until(() => started, 'the call runs');
    await nats.stop('kill');
    expect(await call).toMatchObject({ code: 'service.deadline_exceeded' });
    nats = await startNatsServer({ port: nats.port });
  });

  it('serves and calls again after the NATS server was killed and started anew', async () => {
    const server = await connect('control-plane');
    const caller = await connect('gateway');
    await serve(server, 'getDeployment', async () => 'fine');
    await expect(caller.call('getDeployment', callTo(1))).resolves.toBe('fine');

    await nats.stop('kill');
    await until(() => !caller.isConnected() && !server.isConnected(), 'the loss is noticed');
    await expect(caller.call('getDeployment', callTo(1))).rejects.toMatchObject({ code: 'service.unavailable' });

    nats = await startNatsServer({ port: nats.port });
    await until(
      () =>
        caller.call('getDeployment', callTo(1), { timeoutMs: 500 }).then(
          (reply) => (reply as unknown) === 'fine',
          () => false,
        ),
      'calls succeed again',
    );
  });
});
