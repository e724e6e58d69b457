import { Injectable } from '@nestjs/common';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { invalidRequest } from '@plinth/errors';
import { DeploymentsRepository } from '../../deployments';
import { checkSettings, mergeSettings } from './user-settings';

/** Changes to the preferences of users, checked against what there is. */
@Injectable()
export class UserPreferences {
  constructor(private readonly deployments: DeploymentsRepository) {}

  /** @throws AppError `request.invalid` (400) for a value that means nothing; `path` is where the change stands. */
  async merge(
    tx: Transaction,
    current: Schemas['UserSettings'],
    change: Schemas['UserSettings'],
    path: string,
  ): Promise<Schemas['UserSettings']> {
    checkSettings(change, path);
    const { defaultDeploymentId } = change;
    if (defaultDeploymentId != null && !(await this.deployments.find(tx, defaultDeploymentId))) {
      throw invalidRequest(`${path}/defaultDeploymentId`, 'must be the id of a deployment');
    }
    return mergeSettings(current, change);
  }
}
