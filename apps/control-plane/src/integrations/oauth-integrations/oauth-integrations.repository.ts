import { BaseRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { OAuthIntegration } from './oauth-integration.entity';

export type NewIntegration = Omit<OAuthIntegration, 'id' | 'createdAt' | 'updatedAt'>;

const nameTaken = {
  oauth_integration_tenant_id_name_unique: () =>
    new AppError('oauth_integration.name_taken', 'Another OAuth integration has this name already'),
};

export class OAuthIntegrationsRepository extends BaseRepository {
  /** All of the tenant, which the limit on their number bounds. */
  list(tx: Transaction): Promise<OAuthIntegration[]> {
    return this.managerFor(tx).find(OAuthIntegration, { order: { id: 'ASC' } });
  }

  count(tx: Transaction): Promise<number> {
    return this.managerFor(tx).count(OAuthIntegration);
  }

  find(tx: Transaction, id: number): Promise<OAuthIntegration | null> {
    return this.managerFor(tx).findOneBy(OAuthIntegration, { id });
  }

  /** As {@link find}, and nobody changes or deletes it before the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<OAuthIntegration | null> {
    return this.managerFor(tx).findOne(OAuthIntegration, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** @throws AppError `oauth_integration.name_taken` (409). */
  insert(tx: Transaction, integration: NewIntegration): Promise<OAuthIntegration> {
    return this.mapUnique(nameTaken, () =>
      this.managerFor(tx).save(OAuthIntegration, integration),
    ) as Promise<OAuthIntegration>;
  }

  /** @throws AppError `oauth_integration.name_taken` (409). */
  save(tx: Transaction, integration: OAuthIntegration): Promise<OAuthIntegration> {
    return this.mapUnique(nameTaken, () => this.managerFor(tx).save(OAuthIntegration, integration));
  }

  /** With the tokens of all users. */
  async delete(tx: Transaction, id: number): Promise<boolean> {
    const { affected } = await this.managerFor(tx).delete(OAuthIntegration, { id });
    return affected === 1;
  }

  /** Forgets what users have authorised. */
  async forgetTokens(tx: Transaction, integrationId: number): Promise<void> {
    await this.managerFor(tx).query('delete from oauth_flow where integration_id = $1', [integrationId]);
    await this.managerFor(tx).query('delete from user_oauth_token where integration_id = $1', [integrationId]);
  }
}
