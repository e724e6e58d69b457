import type { Schemas } from '@plinth/contract';
import { invalidRequest } from '@plinth/errors';

/** Whom a request shares with, or no longer. */
export interface EmbedTarget {
  /** Null for all embed users. */
  embedTenantName: string | null;
  action: Schemas['EmbedAction'];
}

type Input = Omit<Schemas['UpdateEmbedAccessInput'], 'allowEmbed'>;

/**
 * What a request says of one audience; undefined when it names none.
 *
 * @throws AppError `request.invalid` (400) for two audiences, one without an action, and an action without one.
 */
export function targetIn({ embedTenantName, allEmbedUsers, action }: Input): EmbedTarget | undefined {
  const isNamed = embedTenantName != null;
  const isEveryone = allEmbedUsers === true;
  if (isNamed && isEveryone) throw invalidRequest('/body', 'must not have both embedTenantName and allEmbedUsers');
  if (!isNamed && !isEveryone) {
    if (action != null) throw invalidRequest('/body/action', 'needs embedTenantName or allEmbedUsers');
    return undefined;
  }
  if (action == null) throw invalidRequest('/body/action', 'is required');
  return { embedTenantName: isNamed ? embedTenantName.toLowerCase() : null, action };
}
