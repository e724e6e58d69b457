import { BaseRepository, type Transaction } from '@plinth/database';
import { ScimRequest } from './scim-request.entity';

export interface ScimRequestFilter {
  failed: boolean | undefined;
  tokenId: number | undefined;
  start: Date | undefined;
  end: Date | undefined;
}

/** Behind which request, in the order of the list, a page begins. */
export type ScimRequestPosition = Pick<ScimRequest, 'occurredAt' | 'id'>;

export class ScimRequestsRepository extends BaseRepository {
  /** Newest first. */
  list(
    tx: Transaction,
    { failed, tokenId, start, end }: ScimRequestFilter,
    limit: number,
    after?: ScimRequestPosition,
  ): Promise<ScimRequest[]> {
    const query = this.managerFor(tx).createQueryBuilder(ScimRequest, 'request').where('true');
    if (failed !== undefined) query.andWhere(`request.status ${failed ? '>=' : '<'} 400`);
    if (tokenId !== undefined) {
      query.andWhere(`request.callerKind = 'scim-token' and request.callerId = :tokenId`, { tokenId });
    }
    if (start) query.andWhere('request.occurredAt >= :start', { start });
    if (end) query.andWhere('request.occurredAt <= :end', { end });
    if (after) query.andWhere('(request.occurredAt, request.id) < (:occurredAt, :id)', { ...after });
    return query.orderBy({ 'request.occurredAt': 'DESC', 'request.id': 'DESC' }).limit(limit).getMany();
  }

  /** Those that are there already stay as they are. */
  async insert(tx: Transaction, requests: ScimRequest[]): Promise<void> {
    const insertion = this.managerFor(tx).createQueryBuilder().insert().into(ScimRequest);
    await insertion.values(requests).orIgnore().execute();
  }
}
