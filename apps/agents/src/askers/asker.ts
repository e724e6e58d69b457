/** For whom a question is asked. */
export interface Asker {
  tenantId: number;
  /** Whose the threads are: `user:{id}` or `external:{id}`. */
  identity: string;
  /** What their queries run under. */
  securityContext: Record<string, unknown>;
  /** In which the account wants times shown, when it says so. */
  timeZone: string | null;
  /** The only branch that they ask; undefined when the question names it. */
  branchName?: string | null;
}

export const identityOfUser = (userId: number): string => `user:${userId}`;
export const identityOfExternal = (externalId: string): string => `external:${externalId}`;
/** Ids of a host application are told apart by embed tenants; those of embed users are the account's. */
export const identityOfEmbedUser = (embedUserId: number): string => `embed:${embedUserId}`;
