import type { DomainSchema } from '../kernel';
import { OAuthArtefact } from './oauth/oauth-artefact.entity';
import { SigningKey } from './oauth/signing-key.entity';
import { PasswordLink } from './passwords/password-link.entity';
import { CreateOAuth1700430000000 } from './migrations/pre-deploy/1700430000000-CreateOAuth.migration';
import { ListSessions1700700000000 } from './migrations/pre-deploy/1700700000000-ListSessions.migration';
import { CountFailedAttempts1700700000001 } from './migrations/pre-deploy/1700700000001-CountFailedAttempts.migration';
import { AddPasswordResets1700800000000 } from './migrations/pre-deploy/1700800000000-AddPasswordResets.migration';
import { RevokeKeysWithPasswords1700910000002 } from './migrations/pre-deploy/1700910000002-RevokeKeysWithPasswords.migration';
import { CreatePasswordMails1701320000001 } from './migrations/pre-deploy/1701320000001-CreatePasswordMails.migration';

/** What the control plane keeps about how people sign in, and clients in their name. */
export const signInSchema = {
  entities: [OAuthArtefact, SigningKey, PasswordLink],
  migrations: [
    CreateOAuth1700430000000,
    ListSessions1700700000000,
    CountFailedAttempts1700700000001,
    AddPasswordResets1700800000000,
    RevokeKeysWithPasswords1700910000002,
    CreatePasswordMails1701320000001,
  ],
  // What has ended stays for some minutes, so that no request that is still under way brings it back.
  retention: [
    { table: 'oauth_artefact', expired: `expires_at < now() - interval '10 minutes'` },
    { table: 'failed_attempt', expired: 'ends_at < now()' },
    { table: 'password_mail', expired: 'expires_at < now()' },
  ],
} satisfies DomainSchema;
