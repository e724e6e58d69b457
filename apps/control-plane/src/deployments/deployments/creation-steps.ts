import { invalidRequest } from '@plinth/errors';
import type { Deployment } from './deployment.entity';

type CreationStep = Deployment['creationStep'];

/** Steps on one level are alternatives: a data model comes from an upload, from GitHub, or over SSH. */
const levels: Readonly<Record<CreationStep, number>> = {
  project: 0,
  upload: 1,
  github: 1,
  ssh: 1,
  schema: 2,
  databases: 3,
  ready: 4,
  demo: 4,
};

export const firstStep: CreationStep = 'project';

/** Whether a setup may go from one step to the other; a step on the same level is not behind. */
export const isForward = (present: CreationStep, next: CreationStep): boolean => levels[next] >= levels[present];

/** @throws AppError `request.invalid` (400) for a step that lies behind the present one. */
export function requireForward(present: CreationStep, next: CreationStep): void {
  if (!isForward(present, next)) throw invalidRequest('/body/creationStep', `lies behind the step ${present}`);
}
