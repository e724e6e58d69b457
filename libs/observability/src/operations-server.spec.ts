import { Registry } from 'prom-client';
import { readiness, startOperationsServer } from './operations-server';

describe(readiness.name, () => {
  it('is unavailable and names the check that failed, returned false or threw', async () => {
    const health = await readiness({
      database: () => true,
      bus: () => false,
      disk: () => Promise.reject(new Error('gone')),
    });
    expect(health).toEqual({ status: 'unavailable', checks: { database: 'ok', bus: 'failed', disk: 'failed' } });
  });
});

describe(startOperationsServer.name, () => {
  it('stays live while it is not ready, tells why and what else there is to know, and serves metrics', async () => {
    const { port, server } = await startOperationsServer({
      host: '127.0.0.1',
      port: 0,
      metrics: new Registry(),
      checks: { bus: () => false },
      details: () => ({ sandbox: 'none' }),
    });
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    try {
      expect((await get('/healthz/live')).status).toBe(200);
      const ready = await get('/healthz/ready');
      expect(ready.status).toBe(503);
      expect(await ready.json()).toEqual({ status: 'unavailable', checks: { bus: 'failed' }, sandbox: 'none' });
      expect((await get('/metrics')).headers.get('content-type')).toContain('text/plain');
      expect((await get('/other')).status).toBe(404);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
