/** What the programs of engines are started by, and what opens doors of the engine. */
const RESERVED =
  /^(?:NODE_|LD_|KUBERNETES_|CUBEJS_(?:API_SECRETS?|DEV_MODE|PLAYGROUND|JWK|JWT_|SQL_|PG_SQL|WEB_SOCKETS|CUBESTORE_|TELEMETRY)|(?:PATH|HOME|PORT|TMPDIR|TZ)$)/;

/** Whether an environment variable is the platform's to set: one of a deployment has no effect. */
export const isReservedVariable = (name: string): boolean => RESERVED.test(name);
