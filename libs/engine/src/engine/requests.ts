import { createHash, randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import type { QueryTracker } from './query-tracker';
import type { Reports } from './reports';
import { withoutTimes } from './tokens';

/** Requests for the same thing by the same client, and under which ids the engine knows what they have begun. */
interface Group {
  open: number;
  ids: Set<string>;
}

/**
 * Gives each request an id of its own, reports how it ended, and has cancelled at the source what was begun for it when its
 * client has gone away, unless somebody else waits for the same.
 */
export class Requests {
  private readonly groups = new Map<string, Group>();

  constructor(
    private readonly tracker: QueryTracker,
    private readonly reports: Reports,
    private readonly cancel: (requestId: string) => Promise<void>,
  ) {}

  readonly follow = (request: Request, response: Response, next: NextFunction): void => {
    const id = randomUUID();
    request.headers['x-request-id'] = id;
    const began = performance.now();
    const route = request.path.split('/').at(-1) ?? '';
    const key = fingerprint(request);
    const group = this.groups.get(key) ?? { open: 0, ids: new Set<string>() };
    this.groups.set(key, group);
    group.open += 1;
    group.ids.add(id);
    this.tracker.begin(id);
    response.once('close', () => {
      const { rows, ran, answered } = this.tracker.end(id);
      const failed = !response.writableFinished || response.statusCode >= 400;
      const durationMs = Math.round(performance.now() - began);
      this.reports.send({ kind: 'query', route, durationMs, rows, cached: answered && !ran, failed });
      this.leave(key, group, response.writableFinished);
    });
    next();
  };

  private leave(key: string, group: Group, answered: boolean): void {
    group.open -= 1;
    if (group.open > 0) return;
    this.groups.delete(key);
    if (answered) return;
    for (const id of group.ids) void this.cancel(id);
  }
}

function fingerprint({ method, url, headers, body }: Request): string {
  const [, payload = ''] = (headers.authorization ?? '').split('.');
  return createHash('sha256')
    .update(JSON.stringify([method, url, withoutTimes(claimsIn(payload)), body ?? null]))
    .digest('base64');
}

function claimsIn(payload: string): object {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {};
  }
}
