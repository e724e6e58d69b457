import type { RetentionRule } from '@plinth/database';
import { CreateOAuth1700430000000 } from './migrations/pre-deploy/1700430000000-CreateOAuth.migration';
import { ListSessions1700700000000 } from './migrations/pre-deploy/1700700000000-ListSessions.migration';
import { CountFailedAttempts1700700000001 } from './migrations/pre-deploy/1700700000001-CountFailedAttempts.migration';
import { OAuthArtefact } from './oauth/oauth-artefact.entity';
import { SigningKey } from './oauth/signing-key.entity';

/** What the control plane keeps for the authorization server. */
export const oauthEntities = [OAuthArtefact, SigningKey];

export const oauthMigrations = [CreateOAuth1700430000000, ListSessions1700700000000, CountFailedAttempts1700700000001];

/** What has ended stays for some minutes, so that no request that is still under way brings it back. */
export const oauthRetention: readonly RetentionRule[] = [
  { table: 'oauth_artefact', expired: `expires_at < now() - interval '10 minutes'` },
  { table: 'failed_attempt', expired: 'ends_at < now()' },
];
