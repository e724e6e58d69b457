import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { CONFIG } from '@plinth/host';
import type { PasswordConfig } from './passwords.config';
import { TenantAddresses } from '../../tenancy';
import type { PasswordLinkPurpose } from './password-link.entity';
import { PasswordMails } from './password-mails.service';
import { PasswordLinksRepository } from './password-links.repository';

const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;

/** Makes the links by which people set their passwords. Only a hash of each is kept. */
@Injectable()
export class PasswordLinkIssuer {
  constructor(
    private readonly links: PasswordLinksRepository,
    private readonly addresses: TenantAddresses,
    @Inject(CONFIG) private readonly config: PasswordConfig,
    @Optional() private readonly mails?: PasswordMails,
  ) {}

  /** A new link for the user: in the reply, and in a mail when the platform sends mail, and nowhere else. */
  async issue(
    tx: Transaction,
    { id: userId, tenantId }: { id: number; tenantId: number },
    purpose: PasswordLinkPurpose,
    { revokesApiKeys = false }: { revokesApiKeys?: boolean } = {},
  ): Promise<Schemas['PasswordLink']> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const tokenHash = createHash('sha256').update(token).digest('hex');
    const expiresAt = new Date(Date.now() + this.lifetimeHours(purpose) * HOUR_MS);
    await this.links.put(tx, { userId, tenantId, purpose, tokenHash, expiresAt, revokesApiKeys });
    const baseUrl = await this.addresses.baseUrl(tenantId);
    const url = `${baseUrl}/auth/${purpose}/${token}`;
    await this.mails?.add(tx, { userId, tenantId, purpose, url, expiresAt });
    return { url, expiresAt: expiresAt.toISOString() };
  }

  private lifetimeHours(purpose: PasswordLinkPurpose): number {
    const { invitationLifetimeHours, passwordResetLifetimeHours } = this.config;
    return purpose === 'invitation' ? invitationLifetimeHours : passwordResetLifetimeHours;
  }
}
