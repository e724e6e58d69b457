/** Id of the credential that the tokens of an approval are: refreshing them makes no other of it. */
export const credentialIdOf = (grantHash: string): string => `access-token:${grantHash}`;
