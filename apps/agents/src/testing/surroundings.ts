import type { OperationId } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { Bus, Call, Handler } from '@plinth/messaging';

/** What the services around agents know. Tests change it. */
export class Surroundings {
  /** The deployment of each tenant. */
  readonly deployments = new Map<number, number>();
}

export async function serveSurroundings(controlPlane: Bus, _runtime: Bus, known: Surroundings): Promise<void> {
  const describeDeployment = async ({ principal, body }: Call<'describeDeployment'>) => {
    if (known.deployments.get(principal.tenantId) === body.deploymentId) return { id: body.deploymentId };
    throw new AppError('deployment.not_found', `Deployment ${body.deploymentId} does not exist`);
  };
  await controlPlane.serve(handlersOf({ describeDeployment }));
}

const handlersOf = (handlers: object): ReadonlyMap<OperationId, Handler> =>
  new Map(Object.entries(handlers)) as unknown as ReadonlyMap<OperationId, Handler>;
