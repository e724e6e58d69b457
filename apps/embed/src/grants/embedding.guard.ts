import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus, Call } from '@plinth/messaging';

export type Embedding = ReplyOf<'describeEmbedding'>;

/** Serves nothing to an account that has switched embedding off. Asked each time, so that the switch is felt at once. */
@Injectable()
export class EmbeddingGuard implements CanActivate {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** @throws AppError `embedding.off` (403) */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { principal } = context.switchToRpc().getData<Call<'listEmbedTenants'>>();
    this.require(await this.bus.ask('describeEmbedding', systemPrincipal(principal.tenantId), {}));
    return true;
  }

  protected require({ isEnabled }: Embedding): void {
    if (!isEnabled) throw new AppError('embedding.off', 'Embedding is switched off in the settings of the account');
  }
}
