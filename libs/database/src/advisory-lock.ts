import { createHash } from 'node:crypto';

/** Number of PostgreSQL's advisory lock with this name, as text because it takes all 64 bits. */
export const advisoryLockId = (...name: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(name)).digest().readBigInt64BE().toString();
