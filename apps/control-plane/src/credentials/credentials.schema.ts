import type { DomainSchema } from '../kernel';
import { ApiKey } from './api-keys/api-key.entity';
import { ScimToken } from './scim-tokens/scim-token.entity';
import { CreateScimTokens1700600000000 } from './migrations/pre-deploy/1700600000000-CreateScimTokens.migration';
import { ExpireApiKeys1700910000001 } from './migrations/pre-deploy/1700910000001-ExpireApiKeys.migration';

/** What the control plane keeps about credentials for programs. */
export const credentialsSchema = {
  entities: [ApiKey, ScimToken],
  migrations: [CreateScimTokens1700600000000, ExpireApiKeys1700910000001],
} satisfies DomainSchema;
