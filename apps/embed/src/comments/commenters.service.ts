import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { Transaction } from '@plinth/database';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { colleagueIn, OwnTenants } from '../colleagues';
import { embedTenantNotFound, EmbedTenantsRepository } from '../tenants';
import type { CommentPlace } from './comments.repository';

/** Whoever reads and writes comments, and where. */
export interface Commenter {
  principal: Principal;
  /** Id of the embed user. */
  userId: number;
  place: CommentPlace;
}

/** Finds who asks for comments of a dashboard that they see. */
@Injectable()
export class Commenters {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    private readonly ownTenants: OwnTenants,
    private readonly tenants: EmbedTenantsRepository,
  ) {}

  /**
   * @throws AppError `embed_session.no_embed_user` (403), and as reading the embedded dashboard does: 404 for one that the
   *   caller may not see, 403 for one that may not be embedded
   */
  async of(principal: Principal, publicId: string): Promise<Commenter> {
    const { tenantId } = principal;
    const { embedUserId: userId } = colleagueIn(principal);
    const dashboard = await this.bus.ask('describeEmbeddedDashboard', principal, { publicId });
    const { embedTenantId } = await this.ownTenants.of(principal);
    const place = { tenantId, embedTenantId, deploymentId: dashboard.deploymentId, dashboardId: dashboard.id };
    return { principal, userId, place };
  }

  /**
   * The embed tenant cannot be deleted before the transaction ends.
   *
   * @throws AppError `embed_tenant.not_found` (404) when it has been
   */
  async hold(tx: Transaction, { principal, place }: Commenter): Promise<void> {
    const held = await this.tenants.hold(tx, principal.embed?.embedTenantName ?? '');
    if (held !== place.embedTenantId) throw embedTenantNotFound();
  }
}
