import { systemPrincipal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { ShortCache, type Bus } from '@plinth/messaging';
import type { FailureLimiter } from '../limits/failure-limiter';

export type Environment = Schemas['LocatedEnvironment'];

/** An address of a data API. */
export interface Address {
  tenantId: number;
  deploymentId: number;
  /** Undefined for production. */
  branch: string | undefined;
}

/** Where an address leads; the environment is undefined where nothing serves the branch. */
export interface Place extends Address {
  environment: Environment | undefined;
}

/** Finds the environments behind addresses. */
export class DataPlaces {
  private readonly places: ShortCache<Place>;

  constructor(
    private readonly bus: Bus,
    private readonly failures: FailureLimiter,
    cacheMs: number,
  ) {
    this.places = new ShortCache(cacheMs);
    bus.subscribe('control-plane.deployment.changed', () => this.places.clear());
    bus.subscribe('build-worker.branch.changed', () => this.places.clear());
  }

  /**
   * @throws AppError `deployment.not_found` (404) where not even production is, `request.too_many_failures` (429) for who
   *   asks for many branches that nothing serves.
   */
  async find(address: Address, clientIp: string): Promise<Place> {
    const key = JSON.stringify([address.tenantId, address.deploymentId, address.branch]);
    const place = this.places.peek(key) ?? (await this.locate(key, address, clientIp));
    if (place.environment || place.branch !== undefined) return place;
    throw new AppError('deployment.not_found', `There is no deployment ${place.deploymentId} at this address`);
  }

  private async locate(key: string, address: Address, clientIp: string): Promise<Place> {
    const find = async () => {
      const place = await this.places.resolve(key, () => this.lookUp(address));
      return place?.environment ? place : null;
    };
    return (await this.failures.find('route', key, clientIp, find)) ?? { ...address, environment: undefined };
  }

  private async lookUp(address: Address): Promise<Place> {
    const { tenantId, deploymentId, branch: branchName = null } = address;
    const { environment } = await this.bus.ask('locateEnvironment', systemPrincipal(tenantId), {
      deploymentId,
      branchName,
    });
    return { ...address, environment: environment ?? undefined };
  }
}
