import { BaseRepository, type Transaction } from '@plinth/database';
import { McpDefaults } from './mcp-defaults.entity';

export class McpDefaultsRepository extends BaseRepository {
  find(tx: Transaction, tenantId: number): Promise<McpDefaults | null> {
    return this.managerFor(tx).findOneBy(McpDefaults, { tenantId });
  }

  async save(tx: Transaction, defaults: McpDefaults): Promise<void> {
    await this.managerFor(tx).upsert(McpDefaults, defaults, ['tenantId']);
  }

  async delete(tx: Transaction, tenantId: number): Promise<void> {
    await this.managerFor(tx).delete(McpDefaults, { tenantId });
  }

  async deleteOfDeployment(tx: Transaction, deploymentId: number): Promise<void> {
    await this.managerFor(tx).delete(McpDefaults, { deploymentId });
  }
}
