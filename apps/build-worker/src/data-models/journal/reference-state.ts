import { RefMovedError, type BareRepository, type RefUpdate } from '@plinth/git';
import type { RefChange } from './intent-store';

const ZERO_ID = '0'.repeat(40);
const HEADS = 'refs/heads/';

const fromZero = (id: string): string | null => (id === ZERO_ID ? null : id);

export const toChange = ({ ref, oldOid, newOid }: RefUpdate): RefChange => ({
  name: ref,
  oldId: oldOid ?? ZERO_ID,
  newId: newOid ?? ZERO_ID,
});

const toUpdate = ({ name, oldId, newId }: RefChange): RefUpdate => ({
  ref: name,
  oldOid: fromZero(oldId),
  newOid: fromZero(newId),
});

type State = 'done' | 'behind' | 'elsewhere';

/**
 * Whether the references carry a write. Git moves several references one after the other, deletions last, so a crash
 * can leave a write half done: as soon as one has moved, the write has happened, and those that still stand where they
 * stood follow. A deletion decides only when there is nothing else, for others delete branches too.
 */
export async function carries(git: BareRepository, changes: readonly RefChange[]): Promise<boolean> {
  if (changes.length === 0) return true;
  const states = await Promise.all(changes.map((change) => stateOf(git, change)));
  const moves = changes.filter(({ newId }) => newId !== ZERO_ID);
  const decisive = moves.length > 0 ? moves : changes;
  if (!decisive.some((change) => states[changes.indexOf(change)] === 'done')) return false;
  for (const change of changes.filter((_, index) => states[index] === 'behind')) await follow(git, change);
  return true;
}

async function follow(git: BareRepository, change: RefChange): Promise<void> {
  await git.updateRefs([toUpdate(change)]).catch((error: unknown) => {
    if (!(error instanceof RefMovedError)) throw error;
  });
}

async function stateOf(git: BareRepository, change: RefChange): Promise<State> {
  const { ref, oldOid, newOid } = toUpdate(change);
  const head = await git.head(ref.slice(HEADS.length));
  if (head === newOid) return 'done';
  if (head !== null && newOid !== null && (await git.isAncestor(newOid, head))) return 'done';
  return head === oldOid ? 'behind' : 'elsewhere';
}
