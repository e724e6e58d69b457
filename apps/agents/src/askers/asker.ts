/** For whom a question is asked. */
export interface Asker {
  tenantId: number;
  /** Whose the threads are: `user:{id}` or `external:{id}`. */
  identity: string;
  /** What their queries run under. */
  securityContext: Record<string, unknown>;
  /** In which the account wants times shown, when it says so. */
  timeZone: string | null;
}

export const identityOfUser = (userId: number): string => `user:${userId}`;
export const identityOfExternal = (externalId: string): string => `external:${externalId}`;
