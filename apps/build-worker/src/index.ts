import { statefulService } from '@plinth/host';
import { buildWorkerSettings } from './build-worker.config';
import { BuildWorkerModule } from './build-worker.module';
import { buildWorkerSchema } from './build-worker.schema';

/** The build worker: data models in git, their validation and their builds. Scaled on its own. */
export const buildWorker = statefulService({
  schema: buildWorkerSchema,
  settings: buildWorkerSettings,
  module: BuildWorkerModule,
  workerId: ({ workerId }) => workerId,
});
export { buildWorkerSchema };
