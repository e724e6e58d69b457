import { Registry } from 'prom-client';
import { countDeliveries } from './outbox-metrics';

describe(countDeliveries.name, () => {
  it('tells the services of one process apart', async () => {
    const registry = new Registry();
    countDeliveries(registry, 'control-plane')('build-worker', 'failed', 1);
    const ofWorker = countDeliveries(registry, 'build-worker');
    ofWorker('control-plane', 'delivered', 1);
    ofWorker('control-plane', 'delivered', 2);

    const counted = await registry.getSingleMetricAsString('plinth_outbox_deliveries_total');

    expect(counted).toContain('{source="control-plane",consumer="build-worker",result="failed"} 1');
    expect(counted).toContain('{source="build-worker",consumer="control-plane",result="delivered"} 3');
  });
});
