import type { ServiceSchema } from '@plinth/database';
import { agentsSchema } from '../../../agents/src';
import { buildWorkerSchema } from '../../../build-worker/src';
import { controlPlaneSchema } from '../../../control-plane/src';
import { embedSchema } from '../../../embed/src';
import { runtimeSchema } from '../../../runtime/src';
import { workspaceSchema } from '../../../workspace/src';

/** Whatever keeps something in PostgreSQL. */
export const serviceSchemas: readonly ServiceSchema[] = [
  controlPlaneSchema,
  buildWorkerSchema,
  runtimeSchema,
  workspaceSchema,
  embedSchema,
  agentsSchema,
];
