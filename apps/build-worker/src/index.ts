import type { Database } from '@plinth/database';
import { hasUnfinishedRestore } from '@plinth/git';
import { statefulService } from '@plinth/host';
import { buildWorkerSettings, type BuildWorkerConfig } from './build-worker.config';
import { BuildWorkerModule } from './build-worker.module';
import { buildWorkerSchema } from './build-worker.schema';
import { ownerOf, repositoryId } from './data-models';
import { GithubApp, GithubInstallationsRepository, GithubLinkService, LinkSeals } from './remotes';

/** Links to GitHub on an open database of the build workers, for the operator. */
export const githubLinks = (database: Database, config: BuildWorkerConfig): GithubLinkService =>
  new GithubLinkService(database, new GithubInstallationsRepository(), new GithubApp(config), new LinkSeals(config));

/** The build worker: data models in git, their validation and their builds. Scaled on its own. */
export const buildWorker = statefulService({
  schema: buildWorkerSchema,
  settings: buildWorkerSettings,
  problems: ({ storageRoot }) =>
    hasUnfinishedRestore(storageRoot)
      ? ['PLINTH_STORAGE_ROOT: a restore was interrupted. `plinth restore` with the same file finishes or undoes it']
      : [],
  module: () => BuildWorkerModule,
  workerId: ({ workerId }) => workerId,
});
export { findDbt } from './dbt';
export { buildWorkerSchema, buildWorkerSettings, ownerOf, repositoryId };
