import { BaseRepository, type Database } from '@plinth/database';

export class ChatTokensRepository extends BaseRepository {
  /** Whether agents of the deployment may be asked with its tokens. */
  async areAllowed(database: Database, tenantId: number, deploymentId: number): Promise<boolean> {
    const statement = {
      name: 'are-chat-tokens-allowed',
      text: 'select is_chat_token_allowed as "areAllowed" from deployment where id = $1',
    };
    const [row] = await database.read<{ areAllowed: boolean }>(tenantId, statement, [deploymentId]);
    return row?.areAllowed ?? false;
  }
}
