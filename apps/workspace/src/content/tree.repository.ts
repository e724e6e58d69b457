import { advisoryLockId, BaseRepository, type Transaction } from '@plinth/database';

/** The shape of the trees: what lies where. */
export class TreeRepository extends BaseRepository {
  /** Whoever puts something in shares the tree; whoever moves or removes has it alone, as paths of whole subtrees change. */
  async lock(tx: Transaction, deploymentId: number, mode: 'shared' | 'alone'): Promise<void> {
    const take = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
    await this.managerFor(tx).query(`select ${take}($1)`, [advisoryLockId('content-tree', deploymentId)]);
  }
}
