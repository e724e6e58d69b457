import { hash, randomBytes } from 'node:crypto';

const ID_BYTES = 16;
const NAME_LENGTH = 32;

/** An id that works once: whoever has it opens the session. */
export const newSessionId = (): string => randomBytes(ID_BYTES).toString('hex');

/** Name of the session with the id: it tells sessions apart everywhere, and opens nothing. */
export const sessionNameOf = (sessionId: string): string => hash('sha256', sessionId).slice(0, NAME_LENGTH);

/** Of the session with the name, for logs and idempotency keys. */
export const credentialIdOf = (name: string): string => `embed-session:${name}`;
