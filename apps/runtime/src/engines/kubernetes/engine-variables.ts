import { isReservedVariable, limitVariables, type EngineLimits } from '@plinth/engine';
import { EngineFailed } from '../engine-driver';
import { ENGINE_PORT } from './engine-port';

/** Most bytes of a Secret. */
const SECRET_BYTES = 2 ** 20;
/** What a variable of a Secret may be called. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * What the environment of an engine's container is, all of it secret: the deployment's variables, and what makes the engine
 * answer to its runtime alone.
 *
 * @throws EngineFailed when it is more than a Secret holds
 */
export function engineVariables(
  given: Readonly<Record<string, string>>,
  tokenSecret: string,
  limits: EngineLimits,
): Record<string, string> {
  const own = Object.entries(given).filter(([name]) => NAME.test(name) && !isReservedVariable(name));
  const variables = {
    ...Object.fromEntries(own),
    ...limitVariables(given, limits),
    NODE_ENV: 'production',
    PORT: String(ENGINE_PORT),
    TZ: 'UTC',
    HOME: '/tmp',
    CUBEJS_API_SECRET: tokenSecret,
    CUBEJS_DEV_MODE: 'false',
    CUBEJS_TELEMETRY: 'false',
    CUBEJS_EXTERNAL_DEFAULT: 'false',
    CUBEJS_SCHEDULED_REFRESH_DEFAULT: 'false',
    // Without its port, the SQL interface has no start, and /cubesql needs it. Nobody reaches the port.
    CUBEJS_PG_SQL_PORT: '15432',
    CUBEJS_SQL_USER: 'nobody',
    CUBEJS_SQL_PASSWORD: tokenSecret,
  };
  const bytes = Object.entries(variables).reduce(
    (sum, [name, value]) => sum + name.length + Buffer.byteLength(value),
    0,
  );
  if (bytes > SECRET_BYTES) {
    throw new EngineFailed(`The environment variables have ${bytes} bytes, and a Secret takes ${SECRET_BYTES}`);
  }
  return variables;
}
