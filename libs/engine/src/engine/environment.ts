import { limitVariables } from '../limit-variables';
import type { EngineLimits } from '../protocol';
import { FIXED_ENVIRONMENT } from '../model/program';

/**
 * The packages of the engine read their settings here: this process gets no environment from its parent. One that runs no
 * queries has no limits.
 */
export function setEnvironment(variables: Readonly<Record<string, string>>, limits?: EngineLimits): void {
  Object.assign(process.env, variables, FIXED_ENVIRONMENT, limits && limitVariables(variables, limits));
}
