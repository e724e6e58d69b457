import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';

/** Finds those whom content can be shared with. They belong to the embed service. */
@Injectable()
export class EmbedAudiences {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /**
   * @param embedTenantName - null for all embed users of the account.
   * @throws AppError `embedding.off` (403), `embed_tenant.not_found` (404)
   */
  find(tenantId: number, embedTenantName: string | null): Promise<Schemas['EmbedAudience']> {
    return this.bus.ask('describeEmbedAudience', systemPrincipal(tenantId), { embedTenantName });
  }
}
