import { z } from 'zod';

/** What an event asks for; undefined for events of no interest. */
export type WebhookEvent =
  | { kind: 'push'; installationId: number; cloneUrl: string }
  | { kind: 'removed' | 'suspended' | 'resumed'; installationId: number };

const id = z.number().int().positive();
const push = z.object({
  ref: z.string().startsWith('refs/heads/'),
  repository: z.object({ clone_url: z.url() }),
  installation: z.object({ id }),
});
const installation = z.object({ action: z.string(), installation: z.object({ id }) });

const ACTIONS: Readonly<Record<string, 'removed' | 'suspended' | 'resumed'>> = {
  deleted: 'removed',
  suspend: 'suspended',
  unsuspend: 'resumed',
};

/**
 * Reads what GitHub says (https://docs.github.com/webhooks/webhook-events-and-payloads). Tags and forms that are not
 * understood are of no interest.
 *
 * @throws SyntaxError when the body is not JSON
 */
export function readEvent(name: string, body: Buffer): WebhookEvent | undefined {
  const content: unknown = JSON.parse(body.toString('utf8'));
  if (name === 'push') {
    const { data } = push.safeParse(content);
    return data && { kind: 'push', installationId: data.installation.id, cloneUrl: data.repository.clone_url };
  }
  if (name !== 'installation') return undefined;
  const { data } = installation.safeParse(content);
  const kind = data && ACTIONS[data.action];
  return kind && { kind, installationId: data.installation.id };
}
