const PREFIX = 'access-token:';

/** Id of the credential that the tokens of an approval are: refreshing them makes no other of it. */
export const credentialIdOf = (grantHash: string): string => `${PREFIX}${grantHash}`;

/** The approval whose tokens the credential is; undefined for another kind of credential. */
export const grantOf = (credentialId: string): string | undefined =>
  credentialId.startsWith(PREFIX) ? credentialId.slice(PREFIX.length) : undefined;
