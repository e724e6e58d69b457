import { BaseRepository, type Transaction } from '@plinth/database';
import { standardSettings, TenantSettings } from './tenant-settings.entity';

export class TenantSettingsRepository extends BaseRepository {
  async find(tx: Transaction, tenantId: number): Promise<TenantSettings> {
    return (await this.managerFor(tx).findOneBy(TenantSettings, { tenantId })) ?? standardSettings(tenantId);
  }

  /** The settings, locked until the transaction ends, so that changes at the same time are merged one after another. */
  async findForUpdate(tx: Transaction, tenantId: number): Promise<TenantSettings> {
    const manager = this.managerFor(tx);
    const standard = standardSettings(tenantId) as object;
    await manager.createQueryBuilder().insert().into(TenantSettings).values(standard).orIgnore().execute();
    return manager.findOneOrFail(TenantSettings, { where: { tenantId }, lock: { mode: 'pessimistic_write' } });
  }

  async save(tx: Transaction, settings: TenantSettings): Promise<void> {
    await this.managerFor(tx).save(TenantSettings, settings);
  }
}
