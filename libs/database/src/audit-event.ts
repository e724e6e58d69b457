import type { Principal } from '@plinth/auth';
import type { DomainEvents } from '@plinth/messaging';
import { requestContext } from '@plinth/observability';

/** The audit event of the request being served; undefined for operations that are not audited. */
export function currentAuditEvent(principal: Principal): DomainEvents['audit.recorded'] | undefined {
  const context = requestContext();
  if (!context?.audit) return undefined;
  const { event, attributes, deploymentId } = context.audit;
  return {
    event,
    occurredAt: new Date().toISOString(),
    actorType: principal.kind,
    actorId: principal.credentialId,
    actorEmail: principal.email,
    clientIp: context.clientIp ?? null,
    deploymentId,
    requestId: context.requestId,
    attributes,
  };
}
