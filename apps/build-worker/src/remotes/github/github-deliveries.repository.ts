import { BaseRepository, type Transaction } from '@plinth/database';

export class GithubDeliveriesRepository extends BaseRepository {
  /** Whether the delivery is new. A repeat that comes meanwhile waits until it is known. */
  async insert(tx: Transaction, deliveryId: string): Promise<boolean> {
    const rows = (await this.managerFor(tx).query(
      'insert into github_delivery (delivery_id) values ($1) on conflict do nothing returning delivery_id',
      [deliveryId],
    )) as unknown[];
    return rows.length === 1;
  }
}
