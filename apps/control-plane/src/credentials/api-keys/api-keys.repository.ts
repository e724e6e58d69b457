import { BaseRepository, type Database, type Transaction } from '@plinth/database';
import { LessThan } from 'typeorm';
import { ApiKey } from './api-key.entity';

export interface NewApiKey {
  tenantId: number;
  userId: number;
  name: string | null;
  prefix: string;
  tokenHash: string;
  deploymentIds: number[] | null;
  expiresAt: Date | null;
  isIssuedByOperator?: boolean;
}

/** Whose keys are meant; those of everybody when it names nobody. */
export interface KeyOwner {
  userId?: number;
}

/** A key and its owner, as far as deciding on a request needs them. */
export interface KeyHolder {
  keyId: number;
  deploymentIds: number[] | null;
  userId: number;
  userName: string;
  email: string | null;
  isAdmin: boolean;
  /** Whether the tenant accepts the key although its owner is no administrator. */
  isAllowedAsPersonal: boolean;
  /** Whether the key has been in use during the last minute, as far as is noted. */
  isUseNoted: boolean;
}

export class ApiKeysRepository extends BaseRepository {
  insert(tx: Transaction, key: NewApiKey): Promise<ApiKey> {
    return this.managerFor(tx).save(ApiKey, { ...key, lastUsedAt: null }) as Promise<ApiKey>;
  }

  /** Newest first, those older than `beforeId` when it is given. */
  list(tx: Transaction, ownedBy: KeyOwner, limit: number, beforeId?: number): Promise<ApiKey[]> {
    return this.managerFor(tx).find(ApiKey, {
      where: { ...ownedBy, ...(beforeId !== undefined && { id: LessThan(beforeId) }) },
      relations: { user: true },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  findById(tx: Transaction, ownedBy: KeyOwner, id: number): Promise<ApiKey | null> {
    return this.managerFor(tx).findOne(ApiKey, { where: { ...ownedBy, id }, relations: { user: true } });
  }

  async delete(tx: Transaction, ownedBy: KeyOwner, id: number): Promise<boolean> {
    const { affected } = await this.managerFor(tx).delete(ApiKey, { ...ownedBy, id });
    return affected === 1;
  }

  /** How many there were. */
  async deleteAllOf(tx: Transaction, userId: number): Promise<number> {
    const { affected } = await this.managerFor(tx).delete(ApiKey, { userId });
    return affected ?? 0;
  }

  /** The holder of a live key; undefined for an unknown, revoked or expired key and for a deactivated user. */
  async findHolder(database: Database, tenantId: number, tokenHash: string): Promise<KeyHolder | undefined> {
    const [holder] = await database.read<KeyHolder>(
      tenantId,
      {
        name: 'holder-of-api-key',
        text: `select k.id as "keyId", k.deployment_ids as "deploymentIds", u.id as "userId",
                 coalesce(u.first_name, u.username) as "userName", u.email, u.is_admin as "isAdmin",
                 k.is_issued_by_operator or coalesce(s.allow_personal_api_keys, false) as "isAllowedAsPersonal",
                 coalesce(k.last_used_at > now() - interval '1 minute', false) as "isUseNoted"
               from api_key k join user_account u on u.id = k.user_id
               left join tenant_settings s on s.tenant_id = k.tenant_id
               where k.token_hash = $1 and u.deactivated_at is null and (k.expires_at is null or k.expires_at > now())`,
      },
      [tokenHash],
    );
    return holder;
  }

  /** Notes that the key is in use, at most once a minute, however many ask at once. */
  async touch(database: Database, tenantId: number, id: number): Promise<void> {
    await database.run(
      tenantId,
      {
        name: 'touch-api-key',
        text: `update api_key set last_used_at = now()
               where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
      },
      [id],
    );
  }
}
