import { Inject, Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@plinth/database';
import { People, TreeRepository } from '../content';
import { EmbedSharesRepository } from '../embedding/embed-shares.repository';
import { EmbedContentRepository } from './embed-content.repository';

/** Takes away what an embed tenant had that is deleted: what was shared with it, and what its users have made. */
@Injectable()
export class EndedTenants {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly people: People,
    private readonly tree: TreeRepository,
    private readonly shares: EmbedSharesRepository,
    private readonly content: EmbedContentRepository,
  ) {}

  /**
   * What to do in one transaction. A new embed tenant may have the name by now: users who are there keep what is theirs.
   */
  async ending(
    tenantId: number,
    embedTenantId: number,
    embedTenantName: string,
  ): Promise<(tx: Transaction) => Promise<void>> {
    const owners = await this.database.transaction(tenantId, (tx) => this.content.owners(tx, embedTenantName));
    const there = await this.people.embedUsers(tenantId, owners);
    const gone = owners.filter((id) => !there.has(id));
    return async (tx) => {
      await this.shares.revokeAll(tx, embedTenantId);
      for (const deploymentId of await this.content.deploymentsOf(tx, embedTenantName, gone)) {
        await this.tree.lock(tx, deploymentId, 'alone');
        for (const item of await this.content.strangersIn(tx, deploymentId, gone)) await this.tree.move(tx, item, []);
        await this.content.delete(tx, deploymentId, gone);
      }
    };
  }
}
