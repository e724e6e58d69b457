import { randomBytes, randomUUID } from 'node:crypto';
import type { Database } from '@plinth/database';
import type { DomainEvents } from '@plinth/messaging';
import { createLogger } from '@plinth/observability';
import { EventsService } from '../audit/events/events.service';
import { AuditCheckpointsRepository } from '../audit/audit-log/audit-checkpoints.repository';
import { AuditEventsRepository } from '../audit/audit-log/audit-events.repository';
import { AuditLogService } from '../audit/audit-log/audit-log.service';
import { AuditVerifier, type AuditVerdict, type AuditVerification } from '../audit/audit-log/audit-verifier';
import { CheckpointSigner } from '../audit/audit-log/checkpoint-signer';

type Recorded = DomainEvents['audit.recorded'];

export const recordedEvent = (more: Partial<Recorded> = {}): Recorded => ({
  event: 'Updated role',
  occurredAt: new Date().toISOString(),
  actorType: 'api-key',
  actorId: 'api-key:1',
  actorEmail: 'admin@acme.test',
  clientIp: '203.0.113.7',
  deploymentId: null,
  requestId: 'r-1',
  attributes: { name: 'Analyst' },
  ...more,
});

export const eventsService = (database: Database): EventsService =>
  new EventsService(
    database,
    new AuditLogService(new AuditEventsRepository()),
    { publish: () => undefined },
    createLogger('audit', 'silent'),
  );

/** Delivers an event as the relay does. Returns its id, under which it can be delivered again. */
export async function deliver(
  database: Database,
  tenantId: number,
  more: Partial<Recorded> = {},
  eventId: string = randomUUID(),
): Promise<string> {
  const payload = recordedEvent(more);
  await eventsService(database).deliver({
    tenantId,
    events: [{ eventId, type: 'audit.recorded', payload, occurredAt: payload.occurredAt }],
  });
  return eventId;
}

/** Signs checkpoints of tests. */
export const signer = new CheckpointSigner([randomBytes(32).toString('base64')]);

export async function verify(database: Database, verification: AuditVerification = {}): Promise<AuditVerdict[]> {
  const verifier = new AuditVerifier(database, new AuditEventsRepository(), new AuditCheckpointsRepository(), signer);
  const verdicts: AuditVerdict[] = [];
  for await (const verdict of verifier.verify(verification)) verdicts.push(verdict);
  return verdicts;
}
