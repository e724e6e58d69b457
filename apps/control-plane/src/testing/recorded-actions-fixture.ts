import type { Database } from '@plinth/database';
import type { DomainEvents, DomainEventType } from '@plinth/messaging';

/** The events of that name in the order of their times, on their way into the audit log of the tenant or there already. */
export function recordedActions(
  database: Database,
  tenantId: number,
  event: string,
): Promise<Pick<DomainEvents['audit.recorded'], 'actorEmail' | 'deploymentId' | 'attributes'>[]> {
  return database.read(
    tenantId,
    {
      name: 'recorded-actions',
      text: `select actor_email as "actorEmail", deployment_id as "deploymentId", attributes from (
               select (payload ->> 'occurredAt')::timestamptz as occurred_at, payload ->> 'actorEmail' as actor_email,
                 (payload ->> 'deploymentId')::bigint as deployment_id, payload -> 'attributes' as attributes
               from outbox where type = 'audit.recorded' and payload ->> 'event' = $1
               union
               select occurred_at, actor_email, deployment_id, attributes::jsonb from audit_event where event = $1
             ) as recorded order by occurred_at`,
    },
    [event],
  );
}

/** What of that kind is on its way from the tenant to its consumers. */
export async function announcedEvents<Type extends DomainEventType>(
  database: Database,
  tenantId: number,
  type: Type,
): Promise<DomainEvents[Type][]> {
  const text = 'select distinct payload from outbox where type = $1';
  const rows = await database.read<{ payload: DomainEvents[Type] }>(tenantId, { name: 'announced', text }, [type]);
  return rows.map(({ payload }) => payload);
}
