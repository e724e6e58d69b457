import type { Type } from '@nestjs/common';
import type { processSettings, Settings } from '@plinth/config';
import type { ServiceName } from '@plinth/contract';
import { startApplication } from './application';
import type { ServiceDefinition } from './service-definition';

/** A service that serves operations and owns nothing: no database, no keys, no events. */
export interface StatelessServiceOptions<S extends Settings & typeof processSettings> {
  service: ServiceName;
  settings: S;
  /** Loaded before the service starts. */
  module: () => Type;
}

/** Everything around a stateless service's own module: bus and health. */
export function statelessService<S extends Settings & typeof processSettings>({
  service,
  settings,
  module,
}: StatelessServiceOptions<S>): ServiceDefinition<S> {
  return {
    name: service,
    settings,
    load: () => void module(),
    start: async (runtime) => {
      const application = await startApplication({ service, module: module() }, runtime);
      return { checks: { bus: () => runtime.bus.isConnected() }, close: () => application.close() };
    },
  };
}
