import { Inject, Injectable } from '@nestjs/common';
import { BaseRepository, SecretBox, type Transaction } from '@plinth/database';
import { In, MoreThan } from 'typeorm';
import type { EnvVariable as Variable } from './env-variable-rules';
import { EnvVariable } from './env-variable.entity';

const contextOf = (deploymentId: number, name: string): string => `deployment:${deploymentId}:env-variable:${name}`;

@Injectable()
export class EnvVariablesRepository extends BaseRepository {
  constructor(@Inject(SecretBox) private readonly secrets: SecretBox) {
    super();
  }

  /** In the order of their names' code points. */
  all(tx: Transaction, deploymentId: number): Promise<Variable[]> {
    return this.list(tx, deploymentId);
  }

  /** In the order of their names' code points, those after `afterName` when it is given; all of them without `limit`. */
  async list(tx: Transaction, deploymentId: number, limit?: number, afterName?: string): Promise<Variable[]> {
    const rows = await this.managerFor(tx).find(EnvVariable, {
      where: { deploymentId, ...(afterName !== undefined && { name: MoreThan(afterName) }) },
      order: { name: 'ASC' },
      ...(limit !== undefined && { take: limit }),
    });
    return rows.map(({ name, sealedValue }) => ({
      name,
      value: this.secrets.open(sealedValue, contextOf(deploymentId, name)),
    }));
  }

  /** Which of the names are stored already. */
  async storedNames(tx: Transaction, deploymentId: number, names: readonly string[]): Promise<Set<string>> {
    const rows = await this.managerFor(tx).find(EnvVariable, {
      select: { name: true },
      where: { deploymentId, name: In([...names]) },
    });
    return new Set(rows.map(({ name }) => name));
  }

  /** Adds variables or changes their values. */
  async set(tx: Transaction, tenantId: number, deploymentId: number, variables: readonly Variable[]): Promise<void> {
    const rows = variables.map(({ name, value }) => ({
      deploymentId,
      name,
      tenantId,
      sealedValue: this.secrets.seal(value, contextOf(deploymentId, name)),
    }));
    await this.managerFor(tx).upsert(EnvVariable, rows, ['deploymentId', 'name']);
  }
}
