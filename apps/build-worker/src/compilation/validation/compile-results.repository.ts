import { BaseRepository, type Transaction } from '@plinth/database';
import type { CompileResult } from '../compiler/compile-result';

/** Results that a deployment may have; those used longest ago make room. */
export const MAX_RESULTS = 100;
/** Results that still have what was transpiled. */
export const MAX_TRANSPILED = 10;

export class CompileResultsRepository extends BaseRepository {
  /** Notes the use once an hour, so that most look-ups write nothing. */
  async find(tx: Transaction, deploymentId: number, key: string): Promise<CompileResult | undefined> {
    return (await this.use<{ result: CompileResult }>(tx, { deploymentId, key, column: 'result' }))?.result;
  }

  /** Compressed, as it was saved. */
  async findTranspiled(tx: Transaction, deploymentId: number, key: string): Promise<Buffer | undefined> {
    const row = await this.use<{ transpiled: Buffer | null }>(tx, { deploymentId, key, column: 'transpiled' });
    return row?.transpiled ?? undefined;
  }

  private async use<Row>(
    tx: Transaction,
    { deploymentId, key, column }: { deploymentId: number; key: string; column: 'result' | 'transpiled' },
  ): Promise<Row | undefined> {
    const rows = (await this.managerFor(tx).query(
      `with found as (
         select ${column}, last_used_at from compile_result where deployment_id = $1 and key = $2
       ), used as (
         update compile_result set last_used_at = now()
         where deployment_id = $1 and key = $2 and last_used_at < now() - interval '1 hour'
       )
       select ${column} from found`,
      [deploymentId, key],
    )) as Row[];
    return rows[0];
  }

  async save(
    tx: Transaction,
    row: { tenantId: number; deploymentId: number; key: string; result: string; transpiled: Buffer | null },
  ): Promise<void> {
    const { tenantId, deploymentId, key, result, transpiled } = row;
    const manager = this.managerFor(tx);
    await manager.query(
      `insert into compile_result (tenant_id, deployment_id, key, result, transpiled) values ($1, $2, $3, $4, $5)
       on conflict (deployment_id, key) do update set last_used_at = now()`,
      [tenantId, deploymentId, key, result, transpiled],
    );
    await manager.query(
      `delete from compile_result where deployment_id = $1 and last_used_at < (
         select last_used_at from compile_result where deployment_id = $1
         order by last_used_at desc offset ${MAX_RESULTS - 1} limit 1)`,
      [deploymentId],
    );
    await manager.query(
      `update compile_result set transpiled = null
       where deployment_id = $1 and transpiled is not null and last_used_at < (
         select last_used_at from compile_result where deployment_id = $1 and transpiled is not null
         order by last_used_at desc offset ${MAX_TRANSPILED - 1} limit 1)`,
      [deploymentId],
    );
  }
}
