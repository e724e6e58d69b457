import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { Database, type Transaction } from '@plinth/database';
import { grantOf } from '../oauth/access-token';
import { OAuthArtefactsRepository } from '../oauth/oauth-artefacts.repository';
import { PasswordLinksRepository } from './password-links.repository';
import { PasswordHashes } from './password-hashes';
import { requireAcceptablePassword } from './password-rules';
import { PasswordsRepository } from './passwords.repository';

/** A password that passed the rules, ready to be stored. */
export interface AcceptedPassword {
  hash: string;
}

/** The password that somebody has shown to know, by the hash that it had then. */
export interface ProvenPassword {
  hash: string;
}

/** Passwords of users: the one place that checks, hashes and compares them. */
@Injectable()
export class Passwords {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly hashes: PasswordHashes,
    private readonly repository: PasswordsRepository,
    private readonly links: PasswordLinksRepository,
    private readonly artefacts: OAuthArtefactsRepository,
  ) {}

  /**
   * Checks the rules and hashes. Apart from {@link set}, so that no transaction waits for the hash.
   *
   * @throws AppError `password.unacceptable` (400).
   */
  async accept(password: string, user: { email: string }): Promise<AcceptedPassword> {
    requireAcceptablePassword(password, user);
    return { hash: await this.hashes.hash(password) };
  }

  /** Replaces the password, and ends what was begun with the one before, and any link to set another. */
  async set(tx: Transaction, userId: number, { hash }: AcceptedPassword): Promise<void> {
    await this.repository.set(tx, userId, hash);
    await this.links.withdraw(tx, userId);
    await this.artefacts.endAllOfUser(tx, userId);
  }

  /** The user's password, if this is it. */
  async prove(tenantId: number, userId: number, password: string): Promise<ProvenPassword | null> {
    const stored = await this.database.transaction(tenantId, (tx) => this.repository.findHash(tx, userId));
    return (await this.hashes.verify(password, stored)) && stored !== null ? { hash: stored } : null;
  }

  /**
   * As {@link set}, for the caller's own password: the session that they do it in goes on. Whether the proven password
   * was still theirs; otherwise nothing happens.
   */
  async replace(
    tx: Transaction,
    { userId, credentialId }: Principal,
    proven: ProvenPassword,
    accepted: AcceptedPassword,
  ): Promise<boolean> {
    if (userId === null || !(await this.repository.replace(tx, userId, proven.hash, accepted.hash))) return false;
    await this.links.withdraw(tx, userId);
    await this.artefacts.endAllOfUser(tx, userId, grantOf(credentialId));
    return true;
  }

  /**
   * Id of the active user whom the email and password belong to; null for all others, after the same time, so that
   * nobody learns which addresses have accounts. A success counts as the user's login.
   */
  async verify(tenantId: number, email: string, password: string): Promise<number | null> {
    const holder = await this.database.transaction(tenantId, (tx) => this.repository.findHolder(tx, email));
    const matches = await this.hashes.verify(password, holder?.passwordHash ?? null);
    if (!matches || !holder) return null;
    await this.database.transaction(tenantId, (tx) => this.repository.noteLogin(tx, holder.userId));
    return holder.userId;
  }
}
