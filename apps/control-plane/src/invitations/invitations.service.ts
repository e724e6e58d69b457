import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import type { AccountConfig } from '../accounts.config';
import { Passwords } from '../passwords/passwords.service';
import { TenantAddresses } from '../tenants/tenant-addresses.service';
import { AccessChanges } from '../access/access-changes.service';
import { InvitationsRepository, type Invitee } from './invitations.repository';

const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;

/** Links by which people take over their accounts. Only a hash of each is kept. */
@Injectable()
export class InvitationsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly invitations: InvitationsRepository,
    private readonly passwords: Passwords,
    private readonly addresses: TenantAddresses,
    private readonly changes: AccessChanges,
    @Inject(CONFIG) private readonly config: AccountConfig,
  ) {}

  /** A new link for the user; the reply is the only place where it can be read. */
  async issue(tx: Transaction, tenantId: number, userId: number): Promise<Schemas['Invitation']> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = new Date(Date.now() + this.config.invitationLifetimeHours * HOUR_MS);
    await this.invitations.put(tx, { userId, tenantId, tokenHash: hashOf(token), expiresAt });
    const baseUrl = await this.addresses.baseUrl(tenantId);
    return { url: `${baseUrl}/auth/invitation/${token}`, expiresAt: expiresAt.toISOString() };
  }

  /** Makes the user's link worthless. */
  withdraw(tx: Transaction, userId: number): Promise<void> {
    return this.invitations.withdraw(tx, userId);
  }

  async describe(
    { tenantId }: Principal,
    { tokenHash }: BodyOf<'describeInvitation'>,
  ): Promise<ReplyOf<'describeInvitation'>> {
    const { email, firstName } = await this.invitee(tenantId, tokenHash);
    return { email, firstName };
  }

  /** Sets the password and uses the link up. Who holds the link acts as the user. */
  async accept(
    principal: Principal,
    { tokenHash, password }: BodyOf<'acceptInvitation'>,
  ): Promise<ReplyOf<'acceptInvitation'>> {
    const { userId, email } = await this.invitee(principal.tenantId, tokenHash);
    const accepted = await this.passwords.accept(password, { email });
    await this.changes.mutate({ ...principal, userId, email }, async (tx) => {
      if (!(await this.invitations.takeOut(tx, tokenHash))) throw invitationNotFound();
      await this.passwords.set(tx, userId, accepted);
    });
    return { email };
  }

  private async invitee(tenantId: number, tokenHash: string): Promise<Invitee> {
    const invitee = await this.database.transaction(tenantId, (tx) => this.invitations.findInvitee(tx, tokenHash));
    if (!invitee) throw invitationNotFound();
    return invitee;
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const invitationNotFound = (): AppError =>
  new AppError('invitation.not_found', 'The invitation has expired, was used, or was replaced by a newer one');
