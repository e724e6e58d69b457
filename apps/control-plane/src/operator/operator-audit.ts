import type { Transaction } from '@plinth/database';

/** Puts what the operator did to a tenant into the tenant's audit log, with the change itself. */
export function recordOperatorAction(
  tx: Transaction,
  tenantId: number,
  event: string,
  attributes: Record<string, unknown>,
): void {
  const action = {
    event,
    occurredAt: new Date().toISOString(),
    actorType: 'operator',
    actorId: 'operator',
    actorEmail: null,
    clientIp: null,
    deploymentId: null,
    requestId: null,
    attributes,
  };
  tx.emit('audit.recorded', action, tenantId);
}
