import type { ServiceDefinition } from '@plinth/host';
import { gatewayProblems, gatewaySettings } from './gateway.config';
import { startGateway } from './gateway.server';

/** The gateway: the only public port. */
export const gateway: ServiceDefinition<typeof gatewaySettings> = {
  name: 'gateway',
  settings: gatewaySettings,
  problems: gatewayProblems,
  load: () => void startGateway,
  start: (runtime) => startGateway(runtime),
};
