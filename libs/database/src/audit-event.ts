import type { Principal } from '@plinth/auth';
import type { DomainEvents } from '@plinth/messaging';
import { requestContext, type AuditedAction } from '@plinth/observability';
import type { Transaction } from './transaction';

type AuditEvent = DomainEvents['audit.recorded'];

/**
 * The audit event of the request being served; undefined for operations that are not audited. What was made is named by
 * the `id` of the reply, which no request can know.
 */
export function currentAuditEvent(principal: Principal, reply: unknown): AuditEvent | undefined {
  const audit = requestContext()?.audit;
  return audit && auditEventOf(principal, aboutTarget(audit, reply));
}

/**
 * Records one more event of the request being served, with the transaction: for operations that do something to several
 * things at once, each of which has its own line in the log.
 */
export function recordAction(
  tx: Transaction,
  principal: Principal,
  action: Pick<AuditedAction, 'event' | 'attributes'> & Partial<Pick<AuditedAction, 'deploymentId'>>,
): void {
  tx.emit('audit.recorded', auditEventOf(principal, { deploymentId: null, ...action }));
}

function auditEventOf(principal: Principal, { event, attributes, deploymentId }: AuditedAction): AuditEvent {
  const context = requestContext();
  return {
    event,
    occurredAt: new Date().toISOString(),
    actorType: principal.kind,
    actorId: principal.credentialId,
    actorEmail: principal.email,
    clientIp: context?.clientIp ?? null,
    deploymentId,
    requestId: context?.requestId ?? null,
    attributes,
  };
}

function aboutTarget(action: AuditedAction, reply: unknown): AuditedAction {
  const { event, target, attributes } = action;
  if (target === undefined) return action;
  const id = (reply as { id?: unknown } | undefined)?.id;
  if (typeof id !== 'number' && typeof id !== 'string') throw new Error(`"${event}" answers no id to be recorded`);
  // A deployment has a place of its own in the log.
  return target === 'deploymentId'
    ? { ...action, deploymentId: Number(id) }
    : { ...action, attributes: { ...attributes, [target]: id } };
}
