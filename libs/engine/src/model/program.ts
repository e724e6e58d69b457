import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { findProgram, type SealedNode } from '@plinth/sandbox';

const PROGRAM = {
  entry: 'libs/engine/src/model/main',
  folders: ['libs/engine/src', 'libs/jinja/src', 'libs/model-process/src'],
};
/** Its garbage is short-lived and small. */
const YOUNG_MB = 2;

/** What packages of the engine read from the environment, in both of its processes. */
export const FIXED_ENVIRONMENT: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  CUBEJS_TELEMETRY: 'false',
  // The other planner is a part of the binary.
  CUBEJS_TESSERACT_SQL_PLANNER: 'false',
  // There is no Cube Store: pre-aggregations are kept where the data is.
  CUBEJS_EXTERNAL_DEFAULT: 'false',
  CUBEJS_SCHEDULED_REFRESH_DEFAULT: 'false',
};

/** The model process as a program for a sandbox, the same one for every deployment. */
export function modelProgram(heapMb: number): SealedNode {
  const { script, folders } = findProgram(PROGRAM);
  const modules = nodeModules();
  const native = [['index.node'], ['native', 'index.node']]
    .map((path) => join(modules, '@cubejs-backend', 'native', ...path))
    .find(existsSync);
  return {
    script,
    readable: [modules, ...folders],
    native,
    heapMb,
    youngMb: YOUNG_MB,
    environment: FIXED_ENVIRONMENT,
  };
}

function nodeModules(): string {
  const entry = require.resolve('@cubejs-backend/schema-compiler');
  return entry.slice(0, entry.lastIndexOf(`${sep}node_modules${sep}`) + `${sep}node_modules`.length);
}
