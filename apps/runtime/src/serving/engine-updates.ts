import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import { LOGGER } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { EngineRegistry, type Place } from '../engines';
import { EngineTargets } from './engine-targets';

/** Brings engines that run up to date as soon as something of their deployment changes, before anybody asks them again. */
@Injectable()
export class EngineUpdates implements OnApplicationBootstrap {
  constructor(
    private readonly targets: EngineTargets,
    private readonly engines: EngineRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.targets.onChange((deploymentId) => {
      for (const place of this.engines.placesOf(deploymentId)) void this.update(place);
    });
  }

  private async update(place: Place): Promise<void> {
    try {
      const target = await this.targets.of(place);
      if (target.kind === 'served') this.follow(place, target);
      else if (target.kind === 'none' && target.error.code === 'branch.not_found') this.retire(place);
    } catch (error) {
      if (AppError.from(error).code === 'deployment.not_found') this.retire(place);
      // Whoever asks next finds out.
      else this.logger.debug({ err: error, deploymentId: place.deploymentId }, 'could not look for a newer model');
    }
  }

  /** A branch that was removed and made anew is another environment. */
  private follow(place: Place, { wanted }: { wanted: Parameters<EngineRegistry['follow']>[0] }): void {
    if (wanted.place.environmentId === place.environmentId) this.engines.follow(wanted);
    else this.retire(place);
  }

  private retire({ environmentId }: Place): void {
    this.engines.retire(environmentId);
  }
}
