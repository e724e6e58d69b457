import { statefulService } from '@plinth/host';
import { runtimeSettings } from './runtime.config';
import { RuntimeModule } from './runtime.module';
import { runtimeSchema } from './runtime.schema';

/** The runtime: engines that answer data queries of deployments. Scaled on its own. */
export const runtime = statefulService({
  schema: runtimeSchema,
  settings: runtimeSettings,
  module: RuntimeModule,
  workerId: ({ runtimeId }) => runtimeId,
});

export { runtimeSchema, runtimeSettings };
