import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { inMemoryList, keysetList } from '@plinth/database';
import { EngineRegistry, type EngineState } from '../engines';
import { VisibleEnvironments, type VisibleEnvironment } from '../environments/visible-environments';

const CONTAINERS: Schemas['DeploymentPod']['containers'] = ['cubejs-server'];

/** What runs of a deployment. The owner of the deployment is asked, who has its engines. */
@Injectable()
export class PodsService {
  constructor(
    private readonly engines: EngineRegistry,
    private readonly environments: VisibleEnvironments,
  ) {}

  async list(principal: Principal, deploymentId: number, query: QueryOf<'pods'>): Promise<ReplyOf<'pods'>> {
    const visible = new Map((await this.environments.of(principal, deploymentId)).map((each) => [each.id, each]));
    const pods = this.engines
      .statesOf(deploymentId)
      .flatMap((state) => podOf(state, visible.get(state.environmentId)))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
    const positionOf = ({ name }: Schemas['DeploymentPod']): [string] => [name];
    const { items, pageInfo } = await keysetList(
      query,
      inMemoryList(pods, { name: 'pods', filters: { deploymentId }, positionOf }),
    );
    return { items, pageInfo };
  }

  isCold(principal: Principal, deploymentId: number): boolean {
    const places = this.engines.placesOf(deploymentId);
    return !places.some(({ isProduction, tenantId }) => isProduction && tenantId === principal.tenantId);
  }
}

function podOf(
  { pod, status, restarts, startedAt }: EngineState,
  environment: VisibleEnvironment | undefined,
): Schemas['DeploymentPod'][] {
  if (!environment) return [];
  return [
    {
      name: pod,
      type: environment.type,
      status,
      ready: status === 'Running',
      restartCount: restarts,
      startedAt: startedAt?.toISOString() ?? null,
      containers: CONTAINERS,
    },
  ];
}
