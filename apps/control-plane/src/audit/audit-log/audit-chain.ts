import { createHash } from 'node:crypto';

/** A line of a tenant's audit log, in the form that its hash is made of. */
export interface AuditEvent {
  /** Position in the tenant's log, from 1 and without gaps. */
  id: number;
  eventId: string;
  occurredAt: Date;
  event: string;
  actorType: string;
  actorId: string;
  actorEmail: string | null;
  clientIp: string | null;
  deploymentId: number | null;
  deploymentName: string | null;
  requestId: string | null;
  /** JSON, character by character as it is stored. */
  attributes: string;
}

/** Where a tenant's chain ends. */
export interface ChainHead {
  /** Id of the last event, and how many there are. */
  length: number;
  hash: Buffer;
}

/** What the first event of a tenant follows on: another value for every tenant, so that no chain passes for another's. */
export const genesisHash = (tenantId: number): Buffer =>
  createHash('sha256').update(`plinth audit log of tenant ${tenantId}`).digest();

/** SHA-256 of the hash before and the event's fields as a JSON array. */
export const hashAfter = (previous: Buffer, event: AuditEvent): Buffer =>
  createHash('sha256').update(previous).update(canonicalForm(event)).digest();

const canonicalForm = (event: AuditEvent): string =>
  JSON.stringify([
    event.id,
    event.eventId,
    event.occurredAt.toISOString(),
    event.event,
    event.actorType,
    event.actorId,
    event.actorEmail,
    event.clientIp,
    event.deploymentId,
    event.deploymentName,
    event.requestId,
    event.attributes,
  ]);
