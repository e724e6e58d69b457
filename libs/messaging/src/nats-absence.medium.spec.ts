import { boundMs, freePort, startNatsServer, until } from '@plinth/testing';
import { createBus } from '.';
import { AbsenceWatch } from './absence-watch';
import { NatsTransport } from './nats-transport';

type Line = [Record<string, unknown>, string];

/** Keeps what is said. */
function listener() {
  const lines: Line[] = [];
  const note = (...line: unknown[]): void => void lines.push(line as Line);
  return { lines, logger: { debug: note, info: note, warn: note, error: note } };
}

describe('a process without NATS', () => {
  it('says within two seconds what it waits for, without the password, and goes on when NATS comes', async () => {
    const { lines, logger } = listener();
    const port = await freePort();
    const startedAt = performance.now();
    const natsUrl = `nats://me:secret@127.0.0.1:${port}`;
    const connecting = createBus({ name: 'gateway', natsUrl, logger });
    await until('a line', () => lines.length, Boolean);
    expect(performance.now() - startedAt).toBeLessThan(boundMs(2_000));
    expect(lines).toEqual([
      [
        expect.objectContaining({
          name: 'gateway',
          servers: [`nats://127.0.0.1:${port}`],
          reason: 'CONNECTION_REFUSED',
        }),
        expect.stringContaining('Waiting for NATS'),
      ],
    ]);
    const nats = await startNatsServer({ port });
    const bus = await connecting;
    expect(bus.isConnected()).toBe(true);
    expect(lines.at(-1)?.[1]).toBe('Connected to NATS');
    await bus.close(0);
    await nats.stop();
  });

  it('says when NATS is lost, and when it is back', async () => {
    const { lines, logger } = listener();
    const nats = await startNatsServer();
    const transport = await NatsTransport.connect({ name: 'gateway', natsUrl: nats.url, logger });
    expect(lines).toEqual([]);
    await nats.stop('kill');
    await until(
      'the loss',
      () => transport.isConnected(),
      (connected) => !connected,
    );
    const again = await startNatsServer({ port: nats.port });
    await until('the return', () => transport.isConnected(), Boolean);
    expect(lines.map(([, text]) => text)).toEqual([
      expect.stringContaining('The connection to NATS was lost'),
      'Connected to NATS',
    ]);
    await transport.close();
    await again.stop();
  });

  it('says so again and again until it is back, and never after that', async () => {
    const { lines, logger } = listener();
    const watch = new AbsenceWatch({ logger, details: {}, firstWordMs: 10, repeatMs: 20 });
    watch.begin(false);
    await until(
      'three lines',
      () => lines.length,
      (count) => count >= 3,
    );
    watch.end();
    const told = lines.length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(lines).toHaveLength(told);
    expect(lines.map(([, text]) => text.split(':')[0])).toEqual([
      ...Array<string>(told - 1).fill('Waiting for NATS'),
      'Connected to NATS',
    ]);
  });

  it('keeps a server that is a moment late to itself', () => {
    const { lines, logger } = listener();
    const watch = new AbsenceWatch({ logger, details: {} });
    watch.begin(false);
    watch.end();
    expect(lines).toEqual([]);
  });
});
