import type { Principal } from './principal';

const lasting = new WeakSet<Principal>();

/**
 * Freezes a principal that stands for many requests, with all that it holds. Nothing can change it any more, so whoever
 * is handed it may keep it without a copy.
 */
export function lastingPrincipal<P extends Principal>(principal: P): P {
  freeze(principal);
  lasting.add(principal);
  return principal;
}

/** Whether {@link lastingPrincipal} has frozen it. */
export const isLasting = (principal: Principal): boolean => lasting.has(principal);

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
