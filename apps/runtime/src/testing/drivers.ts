import type { EngineDriver } from '../engines';
import { fakeDriver } from './fake-model';
import { ApiServer } from './kubernetes/api-server';
import { driverOf, fakeImages } from './kubernetes/cluster-fixture';

/** Where drivers of one kind run fake engines. */
interface OpenDrivers {
  driver(): Promise<EngineDriver>;
  close(): Promise<void>;
}

/** Every kind of driver, for what holds for all of them. */
export const drivers: [name: string, open: () => Promise<OpenDrivers>][] = [
  ['process', async () => ({ driver: async () => fakeDriver(), close: async () => undefined })],
  [
    'kubernetes',
    async () => {
      const cluster = await ApiServer.start(fakeImages);
      return { driver: () => driverOf(cluster), close: () => cluster.stop() };
    },
  ],
];
