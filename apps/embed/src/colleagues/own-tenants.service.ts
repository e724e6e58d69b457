import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { embedTenantNotFound, EmbedTenantsRepository } from '../tenants';

/** An embed user with the embed tenant whose users and groups they know. */
export interface Colleague {
  embedUserId: number;
  embedTenantId: number;
}

/** Finds the embed tenant that the session of an embed user is of. */
@Injectable()
export class OwnTenants {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tenants: EmbedTenantsRepository,
  ) {}

  /** @throws AppError `embed_session.no_embed_user` (403), `embed_tenant.not_found` (404) */
  async of(principal: Principal): Promise<Colleague> {
    const { embedUserId, embedTenantName } = colleagueIn(principal);
    const embedTenantId = await this.database.transaction(principal.tenantId, (tx) =>
      this.tenants.find(tx, embedTenantName),
    );
    if (embedTenantId === undefined) throw embedTenantNotFound();
    return { embedUserId, embedTenantId };
  }
}

/** @throws AppError `embed_session.no_embed_user` (403) */
export function colleagueIn({ embed }: Principal): { embedUserId: number; embedTenantName: string } {
  if (!embed || embed.embedUserId === null || embed.embedTenantName === null)
    throw new AppError('embed_session.no_embed_user', 'This needs a session of an embed user of an embed tenant');
  return { embedUserId: embed.embedUserId, embedTenantName: embed.embedTenantName };
}
