import { loadConfig, type Environment } from '@plinth/config';
import { buildWorkerSettings } from '../../../build-worker/src';

/** Folder of the repositories. */
export const storageRootOf = (environment: Environment): string =>
  loadConfig({ storageRoot: buildWorkerSettings.storageRoot }, environment).storageRoot;
