import type { OperationDescription } from '@plinth/contract';
import type { AuditedAction } from '@plinth/observability';

const HIDDEN = '[HIDDEN]';
const SENSITIVE_NAME = /pass|secret|token|key|credential/i;

/** What the operation's `x-audit` wants recorded of a call; undefined for operations that are not audited. */
export function auditedAction(
  { audit, deploymentParameter }: OperationDescription,
  call: { path: unknown; body?: unknown },
): AuditedAction | undefined {
  if (!audit) return undefined;
  const body = isRecord(call.body) ? call.body : {};
  const attributes: Record<string, unknown> = {};
  for (const field of audit.fields) {
    if (body[field] !== undefined) attributes[field] = concealed(body[field], field);
  }
  const deploymentId = deploymentParameter === undefined ? NaN : Number(propertyOf(call.path, deploymentParameter));
  return { event: audit.event, attributes, deploymentId: Number.isSafeInteger(deploymentId) ? deploymentId : null };
}

/** The value without secrets: what a telling name holds, and the `value` of an entry with a telling `name`. */
function concealed(value: unknown, name: string): unknown {
  if (SENSITIVE_NAME.test(name) && value !== null) return HIDDEN;
  if (Array.isArray(value)) return value.map((item) => concealed(item, name));
  if (!isRecord(value)) return value;
  const entryName = typeof value['name'] === 'string' ? value['name'] : '';
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, concealed(item, key === 'value' ? entryName : key)]),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A path parameter of a call whose operation is known only at run time. */
export const propertyOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
