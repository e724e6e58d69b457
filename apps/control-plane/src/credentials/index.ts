export { ApiKeyRevocations, REVOKED_KEYS_EVENT } from './api-keys/api-key-revocations.service';
export { hashOf, isSecret, newSecret, prefixOf } from './api-keys/api-key-secret';
export { credentialIdOf } from './api-keys/api-key.entity';
export { ApiKeysRepository } from './api-keys/api-keys.repository';
export { futureExpiry } from './api-keys/credential-expiry';
export { CredentialsDomain } from './credentials.module';
export { credentialsSchema } from './credentials.schema';
export { ScimTokensRepository } from './scim-tokens/scim-tokens.repository';
export { issueScimToken } from './scim-tokens/scim-tokens.service';
