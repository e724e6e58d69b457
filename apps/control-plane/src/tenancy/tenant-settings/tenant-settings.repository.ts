import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { standardSettings, TenantSettings } from './tenant-settings.entity';

export type EmbeddingSwitches = Pick<
  TenantSettings,
  'embeddingEnabled' | 'creatorModeEnabled' | 'embedOrigins' | 'appConfig'
>;

export class TenantSettingsRepository extends BaseRepository {
  async find(tx: Transaction, tenantId: number): Promise<TenantSettings> {
    return (await this.managerFor(tx).findOneBy(TenantSettings, { tenantId })) ?? standardSettings(tenantId);
  }

  /** Whether identity providers may provision, in one round trip: it is asked before each of their requests. */
  async isScimEnabled(database: Database, tenantId: number): Promise<boolean> {
    const text = 'select scim_enabled as "isOn" from tenant_settings where tenant_id = $1';
    const [row] = await database.read<{ isOn: boolean }>(tenantId, { name: 'is-scim-enabled', text }, [tenantId]);
    return row?.isOn ?? standardSettings(tenantId).scimEnabled;
  }

  /** Whether host applications may show anything, and let their users make content; asked for each of their sessions. */
  async findEmbedding(database: Database, tenantId: number): Promise<EmbeddingSwitches> {
    const text = `select embedding_enabled as "embeddingEnabled", creator_mode_enabled as "creatorModeEnabled",
                    embed_origins as "embedOrigins", app_config as "appConfig"
                  from tenant_settings where tenant_id = $1`;
    const [row] = await database.read<EmbeddingSwitches>(tenantId, { name: 'embedding-switches', text }, [tenantId]);
    return row ?? standardSettings(tenantId);
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
