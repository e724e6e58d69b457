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

  /** Adds the event as the new end of the chain. */
  async append(tx: Transaction, tenantId: number, event: ChainedEvent): Promise<void> {
    await this.managerFor(tx).query(
      `with moved as (update audit_chain set length = $2, hash = $13 where tenant_id = $1)
       insert into audit_event (tenant_id, id, event_id, occurred_at, event, actor_type, actor_id, actor_email,
         client_ip, deployment_id, deployment_name, request_id, hash, attributes)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
      [
        tenantId,
        event.id,
        event.eventId,
        event.occurredAt,
        event.event,
        event.actorType,
        event.actorId,
        event.actorEmail,
        event.clientIp,
        event.deploymentId,
        event.deploymentName,
        event.requestId,
        event.hash,
        event.attributes,
      ],
    );
  }

  /** Name of the deployment; of one that is gone, the name that its last event had. */
  async deploymentName(tx: Transaction, tenantId: number, deploymentId: number): Promise<string | null> {
    const [row] = await this.managerFor(tx).query<{ name: string | null }[]>(
      `select coalesce(
         (select name from deployment where tenant_id = $1 and id = $2),
         (select deployment_name from audit_event where tenant_id = $1 and deployment_id = $2 order by id desc limit 1)
       ) as name`,
      [tenantId, deploymentId],
    );
    return row?.name ?? null;
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
