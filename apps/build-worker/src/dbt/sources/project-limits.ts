import type { ProjectLimits } from './dbt-repository';

/** Of a project with its packages: dbt has no room for more. */
export const PROJECT_LIMITS: ProjectLimits = { files: 8_000, bytes: 128 * 1024 * 1024 };
