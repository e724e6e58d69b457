import type { Schemas } from '@plinth/contract';
import { z } from 'zod';

/** What a provider says of a branch that was pushed. */
export interface Push {
  branch: string;
  head: string;
  /** Of the repository; null where the provider does not tell. */
  defaultBranch: string | null;
}

const HEADS = 'refs/heads/';
const name = z.string().min(1).max(255);
const head = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/);
const repository = z.object({ default_branch: name }).nullish().catch(null);

/** As GitHub, Gitea and Forgejo have it, and GitLab with `project`. */
const plain = z.object({ ref: name.startsWith(HEADS), after: head, repository, project: repository });
const changed = z.object({ new: z.object({ type: z.literal('branch'), name, target: z.object({ hash: head }) }) });
const ofBitbucket = z.object({ push: z.object({ changes: z.array(z.unknown()).max(1_000) }) });

/** The branches that an event says were pushed: none when it tells of something else, or of branches that are gone. */
export function pushesOf(event: unknown): Push[] {
  const { data } = plain.safeParse(event);
  if (data) {
    if (/^0+$/.test(data.after)) return [];
    const { default_branch: defaultBranch = null } = data.repository ?? data.project ?? {};
    return [{ branch: data.ref.slice(HEADS.length), head: data.after, defaultBranch }];
  }
  const changes = ofBitbucket.safeParse(event).data?.push.changes ?? [];
  return changes.flatMap((change) => {
    const branch = changed.safeParse(change).data?.new;
    return branch ? [{ branch: branch.name, head: branch.target.hash, defaultBranch: null }] : [];
  });
}

/** The push to the branch that is followed, as the history tells of it; undefined when there is none. */
export function followedPush(
  pushes: readonly Push[],
  branch: string | null,
): Schemas['DbtSyncRunTriggerContext'] | undefined {
  for (const { branch: pushedBranch, head: headSha, defaultBranch } of pushes) {
    const targetBranch = branch?.replace(HEADS, '') ?? defaultBranch;
    if (pushedBranch === targetBranch) return { headSha, pushedBranch, targetBranch };
  }
  return undefined;
}
