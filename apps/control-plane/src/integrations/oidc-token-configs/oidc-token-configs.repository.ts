import { BaseRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { OidcTokenConfig } from './oidc-token-config.entity';

export type NewTokenConfig = Omit<OidcTokenConfig, 'id' | 'createdAt' | 'updatedAt'>;

const taken = {
  oidc_token_config_tenant_id_name_unique: () =>
    new AppError('oidc_token_config.name_taken', 'Another OIDC token config has this name already'),
  oidc_token_config_tenant_id_audience_type_unique: () =>
    new AppError('oidc_token_config.audience_taken', 'There is a config for this cloud already: change that one'),
};

export class OidcTokenConfigsRepository extends BaseRepository {
  /** All of the tenant, which the limit on their number bounds. */
  list(tx: Transaction): Promise<OidcTokenConfig[]> {
    return this.managerFor(tx).find(OidcTokenConfig, { order: { id: 'ASC' } });
  }

  listEnabled(tx: Transaction): Promise<OidcTokenConfig[]> {
    return this.managerFor(tx).find(OidcTokenConfig, { where: { isEnabled: true }, order: { id: 'ASC' } });
  }

  count(tx: Transaction): Promise<number> {
    return this.managerFor(tx).count(OidcTokenConfig);
  }

  find(tx: Transaction, id: number): Promise<OidcTokenConfig | null> {
    return this.managerFor(tx).findOneBy(OidcTokenConfig, { id });
  }

  /** As {@link find}, and nobody else changes it before the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<OidcTokenConfig | null> {
    return this.managerFor(tx).findOne(OidcTokenConfig, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** @throws AppError `oidc_token_config.name_taken`, `oidc_token_config.audience_taken` (409). */
  insert(tx: Transaction, config: NewTokenConfig): Promise<OidcTokenConfig> {
    return this.mapUnique(taken, () => this.managerFor(tx).save(OidcTokenConfig, config)) as Promise<OidcTokenConfig>;
  }

  /** @throws AppError `oidc_token_config.name_taken` (409). */
  save(tx: Transaction, config: OidcTokenConfig): Promise<OidcTokenConfig> {
    return this.mapUnique(taken, () => this.managerFor(tx).save(OidcTokenConfig, config));
  }

  async delete(tx: Transaction, id: number): Promise<boolean> {
    const { affected } = await this.managerFor(tx).delete(OidcTokenConfig, { id });
    return affected === 1;
  }
}
