import { statefulService } from '@plinth/host';
import { clusterProblems } from './cluster.config';
import { runtimeSettings } from './runtime.config';
import { RuntimeModule } from './runtime.module';
import { runtimeSchema } from './runtime.schema';

/** The runtime: engines that answer data queries of deployments. Scaled on its own. */
export const runtime = statefulService({
  schema: runtimeSchema,
  settings: runtimeSettings,
  module: () => RuntimeModule,
  problems: clusterProblems,
  workerId: ({ runtimeId }) => runtimeId,
});

export { runtimeSchema, runtimeSettings };
