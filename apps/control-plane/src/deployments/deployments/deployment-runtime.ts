import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';

/** What runs of a deployment, as its runtime says. */
@Injectable()
export class DeploymentRuntime {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /** Whether production sleeps; null when no runtime tells it in time, which keeps nobody from the settings. */
  async isCold(tenantId: number, deploymentId: number): Promise<boolean | null> {
    const call = { principal: systemPrincipal(tenantId), path: { deploymentId }, query: {}, body: undefined };
    return this.bus.call('describeEngines', call).then(
      ({ isCold }) => isCold,
      () => null,
    );
  }
}
