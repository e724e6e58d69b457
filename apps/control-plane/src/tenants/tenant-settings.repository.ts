import { BaseRepository, type Transaction } from '@plinth/database';
import { TenantSetting } from './tenant-setting.entity';

export class TenantSettingsRepository extends BaseRepository {
  /** The settings of the transaction's tenant. */
  async find(tx: Transaction): Promise<Pick<TenantSetting, 'arePersonalKeysAllowed'>> {
    const [settings] = await this.managerFor(tx).find(TenantSetting, { take: 1 });
    return settings ?? { arePersonalKeysAllowed: false };
  }

  /** Changes what is named and keeps the rest. */
  async update(tx: Transaction, settings: Pick<TenantSetting, 'tenantId'> & Partial<TenantSetting>): Promise<void> {
    await this.managerFor(tx).upsert(TenantSetting, settings, ['tenantId']);
  }
}
