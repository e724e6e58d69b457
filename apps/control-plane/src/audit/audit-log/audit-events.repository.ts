import { BaseRepository, type Transaction } from '@plinth/database';
import { genesisHash, type AuditEvent, type ChainHead } from './audit-chain';

/** A stored event with its link of the chain. */
export interface ChainedEvent extends AuditEvent {
  hash: Buffer;
}

/** Where a tenant's log ends by what is written beside its events. */
export interface RecordedEnd extends ChainHead {
  tenantId: number;
  /** Number of the last checkpoint. */
  checkpoints: number;
}

/** The audit log. Events are only ever added: the service's roles may neither change nor remove one. */
export class AuditEventsRepository extends BaseRepository {
  /** Locks the end of the tenant's chain until the transaction ends, so that events are chained one after another. */
  async lockHead(tx: Transaction, tenantId: number): Promise<ChainHead> {
    const [head] = await this.managerFor(tx).query<[ChainHead]>(
      `insert into audit_chain (tenant_id, length, hash) values ($1, 0, $2)
       on conflict (tenant_id) do update set length = audit_chain.length returning length, hash`,
      [tenantId, genesisHash(tenantId)],
    );
    return head;
  }

  /** Adds the events, after which the chain ends at `end`. */
  async append(tx: Transaction, tenantId: number, events: readonly ChainedEvent[], end: ChainHead): Promise<void> {
    await this.managerFor(tx).query(
      `with moved as (update audit_chain set length = $2, hash = $3 where tenant_id = $1)
       insert into audit_event (tenant_id, id, event_id, occurred_at, event, actor_type, actor_id, actor_email,
         client_ip, deployment_id, deployment_name, request_id, hash, attributes)
       select $1, * from unnest($4::bigint[], $5::uuid[], $6::timestamptz[], $7::text[], $8::text[], $9::text[],
         $10::text[], $11::text[], $12::bigint[], $13::text[], $14::text[], $15::bytea[], $16::json[])`,
      [
        tenantId,
        end.length,
        end.hash,
        events.map(({ id }) => id),
        events.map(({ eventId }) => eventId),
        events.map(({ occurredAt }) => occurredAt.toISOString()),
        events.map(({ event }) => event),
        events.map(({ actorType }) => actorType),
        events.map(({ actorId }) => actorId),
        events.map(({ actorEmail }) => actorEmail),
        events.map(({ clientIp }) => clientIp),
        events.map(({ deploymentId }) => deploymentId),
        events.map(({ deploymentName }) => deploymentName),
        events.map(({ requestId }) => requestId),
        events.map(({ hash }) => hash),
        events.map(({ attributes }) => attributes),
      ],
    );
  }

  /** Names of deployments by their ids; of one that is gone, the name that its last event had. */
  async deploymentNames(
    tx: Transaction,
    tenantId: number,
    deploymentIds: readonly number[],
  ): Promise<Map<number | null, string | null>> {
    if (deploymentIds.length === 0) return new Map();
    const rows = await this.managerFor(tx).query<{ id: number; name: string | null }[]>(
      `select id, coalesce(
         (select name from deployment d where d.tenant_id = $1 and d.id = wanted.id),
         (select deployment_name from audit_event e where e.tenant_id = $1 and e.deployment_id = wanted.id
          order by e.id desc limit 1)
       ) as name
       from unnest($2::bigint[]) wanted (id)`,
      [tenantId, deploymentIds],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Every tenant that has a log or had one, with the end of its chain. */
  listEnds(tx: Transaction): Promise<RecordedEnd[]> {
    return this.managerFor(tx).query(
      `select tenant_id as "tenantId", coalesce(c.length, 0) as length, coalesce(c.hash, '') as hash,
         coalesce(k.last, 0) as checkpoints
       from audit_chain c full join (
         select tenant_id, max(number) as last from audit_checkpoint group by tenant_id
       ) k using (tenant_id) order by tenant_id`,
    );
  }

  /** The tenant's next events in the order of the chain. */
  listAfter(tx: Transaction, tenantId: number, id: number, limit: number): Promise<ChainedEvent[]> {
    return this.managerFor(tx).query(
      `select id, event_id as "eventId", occurred_at as "occurredAt", event, actor_type as "actorType",
         actor_id as "actorId", actor_email as "actorEmail", client_ip as "clientIp",
         deployment_id as "deploymentId", deployment_name as "deploymentName", request_id as "requestId",
         attributes::text as attributes, hash
       from audit_event where tenant_id = $1 and id > $2 order by id limit $3`,
      [tenantId, id, limit],
    );
  }
}
