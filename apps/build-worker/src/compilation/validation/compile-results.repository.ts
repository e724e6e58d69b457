import { BaseRepository, type Transaction } from '@plinth/database';
import type { CompileResult } from '../compiler/compile-result';

/** Results that a deployment may have; those used longest ago make room. */
export const MAX_RESULTS = 100;

export class CompileResultsRepository extends BaseRepository {
  /** Notes the use once an hour, so that most look-ups write nothing. */
  async find(tx: Transaction, deploymentId: number, key: string): Promise<CompileResult | undefined> {
    const rows = (await this.managerFor(tx).query(
      `with found as (
         select result, last_used_at from compile_result where deployment_id = $1 and key = $2
       ), used as (
         update compile_result set last_used_at = now()
         where deployment_id = $1 and key = $2 and last_used_at < now() - interval '1 hour'
       )
       select result from found`,
      [deploymentId, key],
    )) as { result: CompileResult }[];
    return rows[0]?.result;
  }

  async save(
    tx: Transaction,
    row: { tenantId: number; deploymentId: number; key: string; result: string },
  ): Promise<void> {
    const { tenantId, deploymentId, key, result } = row;
    const manager = this.managerFor(tx);
    await manager.query(
      `insert into compile_result (tenant_id, deployment_id, key, result) values ($1, $2, $3, $4)
       on conflict (deployment_id, key) do update set last_used_at = now()`,
      [tenantId, deploymentId, key, result],
    );
    await manager.query(
      `delete from compile_result where deployment_id = $1 and last_used_at < (
         select last_used_at from compile_result where deployment_id = $1
         order by last_used_at desc offset ${MAX_RESULTS - 1} limit 1)`,
      [deploymentId],
    );
  }
}
