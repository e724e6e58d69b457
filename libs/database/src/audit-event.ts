import type { Principal } from '@plinth/auth';
import type { DomainEvents } from '@plinth/messaging';
import type { AuditedAction, RequestContext } from '@plinth/observability';

/** The audit event of an action, with who did it and from where. */
export const auditEvent = (
  { event, attributes, deploymentId }: AuditedAction,
  principal: Principal,
  context: Pick<RequestContext, 'requestId' | 'clientIp'>,
): DomainEvents['audit.recorded'] => ({
  event,
  attributes,
  deploymentId,
  occurredAt: new Date().toISOString(),
  actorType: principal.kind,
  actorId: principal.credentialId,
  actorEmail: principal.email,
  clientIp: context.clientIp ?? null,
  requestId: context.requestId,
});
