import type { ServiceSchema } from '@plinth/database';
import { Branch } from './branches/branch.entity';
import { Build } from './builds/build.entity';
import { DevSession } from './dev-mode/dev-session.entity';
import { CreateDataModels1700200000000 } from './migrations/pre-deploy/1700200000000-CreateDataModels.migration';
import { Repository } from './repositories/repository.entity';

export const buildWorkerSchema: ServiceSchema = {
  service: 'build-worker',
  entities: [Repository, Branch, DevSession, Build],
  migrations: { preDeploy: [CreateDataModels1700200000000], postDeploy: [] },
};
