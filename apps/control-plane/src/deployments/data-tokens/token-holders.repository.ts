import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import type { AttributeType, AttributeValue } from '@plinth/user-attributes';

/** An active user, as far as tokens tell of them. */
export interface TokenHolder {
  /** How often all tokens of the user have been ended. */
  generation: number;
  username: string;
  email: string;
  /** What administrators have written for queries of this user. */
  securityContext: Record<string, unknown> | null;
  /** Names of the groups. */
  groups: string[];
  attributes: HeldAttribute[];
}

/** An attribute of the tenant with the user's value; `defaultValue` only where the user has none of their own. */
export interface HeldAttribute {
  name: string;
  type: AttributeType;
  value: AttributeValue | null;
  defaultValue: string | null;
}

/** What decides on whether tokens of a user work. */
export interface TokenStanding {
  generation: number;
  isAdmin: boolean;
}

export class TokenHoldersRepository extends BaseRepository {
  /** Undefined for a user who is deactivated or gone. */
  async find(tx: Transaction, userId: number): Promise<TokenHolder | undefined> {
    const [holder] = await this.managerFor(tx).query<TokenHolder[]>(
      `select u.token_generation as generation, u.username, u.email, u.security_context as "securityContext",
         (select coalesce(jsonb_agg(g.name order by g.name), '[]')
          from user_group_member m join user_group g on g.id = m.group_id where m.user_id = u.id) as groups,
         (select coalesce(jsonb_agg(jsonb_build_object('name', a.name, 'type', a.type, 'value', v.value,
            'defaultValue', case when v.user_id is null then a.default_value end) order by a.name), '[]')
          from user_attribute a left join user_attribute_value v on v.user_attribute_id = a.id and v.user_id = u.id
          where a.tenant_id = u.tenant_id) as attributes
       from user_account u where u.id = $1 and u.deactivated_at is null`,
      [userId],
    );
    return holder;
  }

  /** Undefined for a user who is deactivated or gone. */
  async findStanding(database: Database, tenantId: number, userId: number): Promise<TokenStanding | undefined> {
    const statement = {
      name: 'standing-of-token-holder',
      text: `select token_generation as generation, is_admin as "isAdmin" from user_account
             where id = $1 and deactivated_at is null`,
    };
    return (await database.read<TokenStanding>(tenantId, statement, [userId]))[0];
  }
}
