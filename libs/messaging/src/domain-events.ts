import type { OperationId, ServiceName } from '@plinth/contract';
import { AppError } from '@plinth/errors';

/**
 * Facts that one service records in its outbox and others must hear of. Each is delivered at least once to every
 * consumer, which applies it idempotently by event id.
 */
export interface DomainEvents {
  /** With all that it had: nothing is left to look up. */
  'tenant.deleted': { tenantName: string; deploymentIds: number[] };
  'deployment.created': { deploymentId: number };
  'deployment.updated': { deploymentId: number };
  'deployment.deleted': { deploymentId: number };
  /** With its workbook. */
  'dashboard.deleted': { deploymentId: number; dashboardId: number };
  'user.deleted': { userId: number };
  'user_group.deleted': { groupId: number };
  'user_attribute.deleted': { attributeId: number };
  /** With its users, its groups and the sessions of both. */
  'embed_tenant.deleted': { embedTenantId: number; embedTenantName: string };
  'audit.recorded': {
    event: string;
    /** ISO 8601. */
    occurredAt: string;
    actorType: string;
    actorId: string;
    actorEmail: string | null;
    clientIp: string | null;
    deploymentId: number | null;
    requestId: string | null;
    attributes: Record<string, unknown>;
  };
}

export type DomainEventType = keyof DomainEvents;

/** Who must hear of an event; the outbox relay keeps it until each of them has taken it. */
export const eventConsumers = {
  'tenant.deleted': ['control-plane'],
  'deployment.created': ['build-worker'],
  'deployment.updated': ['build-worker'],
  'deployment.deleted': ['build-worker', 'workspace', 'embed', 'agents'],
  'dashboard.deleted': ['embed'],
  'user.deleted': ['agents'],
  'user_group.deleted': ['embed'],
  'user_attribute.deleted': ['embed'],
  'embed_tenant.deleted': ['workspace'],
  'audit.recorded': ['control-plane'],
} as const satisfies Record<DomainEventType, readonly ServiceName[]>;

export type EventConsumer = (typeof eventConsumers)[DomainEventType][number];

interface Delivery {
  /** The internal operation by which the service takes events. */
  operationId: OperationId;
  /** Events that a service has on their way to the consumer at most. */
  atOnce: number;
  /** Whether one call carries all events of a tenant. Those that are work travel alone, so that all replicas share it. */
  together: boolean;
  /**
   * Milliseconds that an event waits for others to travel with. A delivery is two transactions and a call, which is more than
   * most writes are: what is only read later waits longer, so that it does not cost more than the writes it tells of.
   */
  gatherMs: number;
}

const SOON_MS = 10;
/** Audit events: one caller, one request after the other, makes several in this time. */
const LATER_MS = 100;

/** How a consumer takes its events. */
export const deliveries = {
  'control-plane': { operationId: 'deliverEventsToControlPlane', atOnce: 500, together: true, gatherMs: LATER_MS },
  'build-worker': { operationId: 'deliverEventsToBuildWorker', atOnce: 20, together: false, gatherMs: SOON_MS },
  workspace: { operationId: 'deliverEventsToWorkspace', atOnce: 20, together: false, gatherMs: SOON_MS },
  embed: { operationId: 'deliverEventsToEmbed', atOnce: 20, together: false, gatherMs: SOON_MS },
  agents: { operationId: 'deliverEventsToAgents', atOnce: 20, together: false, gatherMs: SOON_MS },
} as const satisfies Record<EventConsumer, Delivery>;

/** For a consumer of an older build: refusing keeps the event in its outbox until a newer one takes it. */
export const unknownEvent = (type: string): AppError =>
  new AppError('service.unavailable', `This build does not know the event ${type}`);
