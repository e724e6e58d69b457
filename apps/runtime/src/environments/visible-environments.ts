import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';

export interface VisibleEnvironment {
  id: number;
  type: Schemas['DeploymentPod']['type'];
}

const TYPES = { deploy: 'production', shared: 'staging', dev: 'development' } as const;

/** Environments are branches, which the build workers know. */
@Injectable()
export class VisibleEnvironments {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /**
   * Those of the deployment that the caller may see: dev branches of others are for administrators.
   *
   * @throws AppError `deployment.not_found` (404), also for a deployment of another tenant
   */
  async of({ tenantId, isAdmin, userId }: Principal, deploymentId: number): Promise<VisibleEnvironment[]> {
    const { branches } = await this.bus.ask('listDeploymentBranches', systemPrincipal(tenantId), { deploymentId });
    return branches
      .filter(({ kind, ownerUserId }) => isAdmin || kind !== 'dev' || (ownerUserId !== null && ownerUserId === userId))
      .map(({ id, kind }) => ({ id, type: TYPES[kind] }));
  }
}
