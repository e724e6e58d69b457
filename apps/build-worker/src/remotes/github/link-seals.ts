import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ConfigOf, databaseSettings } from '@plinth/config';
import { SecretBox } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';

/** Who asked for a link to GitHub. */
export interface LinkRequest {
  /** Identity of the request; it leads to one link at most. */
  id: string;
  tenantId: number;
  tenantName: string;
  userId: number | null;
  /** ISO 8601. */
  expiresAt: string;
}

/** What the person who came back from GitHub has proven to own. */
export interface LinkOffer extends LinkRequest {
  installations: { id: number; login: string; accountType: 'Organization' | 'User'; avatarUrl: string }[];
}

const LIFE_MS = 600_000;

/**
 * The two texts that travel through a browser while an account is linked: the state that GitHub hands back, and the
 * code that completes the link. Sealed, so that nobody reads or makes them, and bound to a tenant and a user.
 */
@Injectable()
export class LinkSeals {
  private readonly secrets: SecretBox;

  constructor(@Inject(CONFIG) { encryptionKeys }: Pick<ConfigOf<typeof databaseSettings>, 'encryptionKeys'>) {
    this.secrets = new SecretBox(encryptionKeys);
  }

  newState(who: Pick<LinkRequest, 'tenantId' | 'tenantName' | 'userId'>): string {
    const { tenantId, tenantName, userId } = who;
    const expiresAt = new Date(Date.now() + LIFE_MS).toISOString();
    return this.seal('state', { id: randomUUID(), tenantId, tenantName, userId, expiresAt });
  }

  /** @throws AppError `github.link_invalid` (400) */
  openState(state: string): LinkRequest {
    return this.open<LinkRequest>('state', state);
  }

  offer(offer: LinkOffer): string {
    return this.seal('offer', offer);
  }

  /** @throws AppError `github.link_invalid` (400) */
  openOffer(code: string): LinkOffer {
    return this.open<LinkOffer>('offer', code);
  }

  private seal(kind: string, content: LinkRequest): string {
    return this.secrets.seal(JSON.stringify(content), `github-link:${kind}`);
  }

  private open<T extends LinkRequest>(kind: string, text: string): T {
    const content = this.unseal<T>(kind, text);
    if (!content || Date.parse(content.expiresAt) <= Date.now()) throw invalidLink();
    return content;
  }

  private unseal<T>(kind: string, text: string): T | undefined {
    try {
      return JSON.parse(this.secrets.open(text, `github-link:${kind}`)) as T;
    } catch {
      return undefined;
    }
  }
}

export const invalidLink = (): AppError =>
  new AppError('github.link_invalid', 'The link to GitHub is not valid, has ended or is used; begin again');
