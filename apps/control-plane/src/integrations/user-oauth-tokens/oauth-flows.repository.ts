import { BaseRepository, type Transaction } from '@plinth/database';
import { OAuthIntegration } from '../oauth-integrations/oauth-integration.entity';
import { User } from '../../people';
import { OAuthFlow } from './oauth-flow.entity';

/** An authorization that can still be completed. */
export interface OpenFlow {
  flow: OAuthFlow;
  integration: OAuthIntegration;
  email: string;
}

export class OAuthFlowsRepository extends BaseRepository {
  /** Replaces the user's earlier one with the same integration. */
  async put(tx: Transaction, flow: OAuthFlow): Promise<void> {
    const { userId, integrationId } = flow;
    await this.managerFor(tx).delete(OAuthFlow, { userId, integrationId });
    await this.managerFor(tx).insert(OAuthFlow, flow);
  }

  async find(tx: Transaction, stateHash: string): Promise<OpenFlow | undefined> {
    const flow = await this.managerFor(tx)
      .createQueryBuilder(OAuthFlow, 'flow')
      .where('flow.state_hash = :stateHash and flow.expires_at > now()', { stateHash })
      .getOne();
    if (!flow) return undefined;
    const integration = await this.managerFor(tx).findOneBy(OAuthIntegration, { id: flow.integrationId });
    const user = await this.managerFor(tx).findOneBy(User, { id: flow.userId });
    return integration && user && user.deactivatedAt === null ? { flow, integration, email: user.email } : undefined;
  }

  /** Uses the state up. Whether it was there: of two who come at once, one is told so. */
  async takeOut(tx: Transaction, { stateHash }: OAuthFlow): Promise<boolean> {
    const { affected } = await this.managerFor(tx).delete(OAuthFlow, { stateHash });
    return affected === 1;
  }
}
