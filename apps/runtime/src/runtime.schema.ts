import { DropIntents1701200000000, type ServiceSchema } from '@plinth/database';
import { EngineLogLine } from './logs/engine-log-line.entity';
import { CreateEngineLogs1701200000000 } from './migrations/pre-deploy/1701200000000-CreateEngineLogs.migration';

export const runtimeSchema: ServiceSchema = {
  service: 'runtime',
  entities: [EngineLogLine],
  migrations: { preDeploy: [CreateEngineLogs1701200000000], postDeploy: [DropIntents1701200000000] },
  retention: [{ table: 'engine_log_line', expired: "logged_at < now() - interval '24 hours'" }],
};
