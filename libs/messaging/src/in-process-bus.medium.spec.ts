import type { Bus } from './bus';
import { describeBusConformance } from './testing/conformance';
import { silent, type BusNetwork } from './testing/conformance-kit';
import { createBus } from './create-bus';
import { InProcessHub } from './in-process-transport';

describe('the bus inside one process', () => {
  let hub: InProcessHub;
  let buses: Bus[];

  const network: BusNetwork = {
    connect: async (name, logger = silent) => {
      const bus = await createBus({ name, logger, hub });
      buses.push(bus);
      return bus;
    },
  };

  beforeEach(() => {
    hub = new InProcessHub();
    buses = [];
  });

  afterEach(() => Promise.all(buses.map((bus) => bus.close(0))));

  describeBusConformance(() => network);
});
