import { BaseRepository, type Transaction } from '@plinth/database';
import { AiProvider } from './ai-provider.entity';

export class AiProviderRepository extends BaseRepository {
  find(tx: Transaction, tenantId: number): Promise<AiProvider | null> {
    return this.managerFor(tx).findOneBy(AiProvider, { tenantId });
  }

  async save(tx: Transaction, provider: Omit<AiProvider, 'updatedAt'>): Promise<AiProvider> {
    const row = this.managerFor(tx).create(AiProvider, { ...provider, updatedAt: new Date() });
    await this.managerFor(tx).upsert(AiProvider, row, ['tenantId']);
    return row;
  }

  async delete(tx: Transaction, tenantId: number): Promise<void> {
    await this.managerFor(tx).delete(AiProvider, { tenantId });
  }
}
