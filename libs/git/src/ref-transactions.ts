import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkRef } from './branch-names';
import { GitError, RefMovedError, RefNameConflictError } from './git-error';
import { GitSession, type SessionOptions, SessionSlot } from './git-session';
import { type ObjectId, ZERO_ID, checkObjectId } from './object-id';

/** One compare-and-swap. `null` stands for "no such reference": created, or deleted. */
export interface RefUpdate {
  ref: string;
  newOid: ObjectId | null;
  oldOid: ObjectId | null;
}

export interface RefReader {
  resolve(ref: string): Promise<ObjectId | null>;
  /** Some reference whose name lies below this one. */
  anyBelow(ref: string): Promise<string | undefined>;
}

/** How long a transaction waits for somebody else's lock, and when a lock counts as left behind by a dead process. */
export interface LockPatience {
  waitMs: number;
  staleMs: number;
}

/** `git update-ref --stdin -z`: it answers each step with a line and exits at the first that fails. */
class UpdateRefSession extends GitSession {
  private pending: { resolve(): void; reject(error: Error): void } | undefined;
  private answer = '';

  constructor(options: SessionOptions) {
    super('update-ref', ['--stdin', '-z'], options);
  }

  commit(updates: readonly RefUpdate[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject };
      this.answer = '';
      this.write(`start\0${updates.map(command).join('')}prepare\0commit\0`);
    });
  }

  protected onData(chunk: Buffer): void {
    this.answer += chunk.toString('latin1');
    if (!this.answer.endsWith('commit: ok\n')) return;
    this.pending?.resolve();
    this.pending = undefined;
  }

  protected onExit(failure: GitError): void {
    this.pending?.reject(failure);
    this.pending = undefined;
  }
}

function command({ ref, newOid, oldOid }: RefUpdate): string {
  if (newOid === null) return `delete ${ref}\0${oldOid}\0`;
  return `update ${ref}\0${newOid}\0${oldOid ?? ZERO_ID}\0`;
}

/** Atomic reference updates: all of a transaction or nothing, one transaction at a time per repository and process. */
export class RefTransactions {
  private readonly slot: SessionSlot<UpdateRefSession>;
  private tail: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly options: SessionOptions,
    private readonly refs: RefReader,
    private readonly patience: LockPatience,
  ) {
    this.slot = new SessionSlot(() => new UpdateRefSession(options), options.idleMs);
  }

  /**
   * @throws RefMovedError when a reference is not at its `oldOid`
   * @throws RefNameConflictError when a new reference would lie above or below an existing one
   * @throws GitError when a lock is not given up in time, or git fails otherwise
   */
  commit(updates: readonly RefUpdate[]): Promise<void> {
    const checked = updates.map(checkUpdate);
    const turn = this.tail.then(() => this.commitInTurn(checked));
    this.tail = turn.catch(() => undefined);
    return turn;
  }

  async close(): Promise<void> {
    await this.tail;
    await this.slot.close();
  }

  /**
   * Git tells in prose alone why a transaction failed, so the references themselves are asked: moved, already as wanted
   * (the child died after its commit), in the way of each other, or locked.
   */
  private async commitInTurn(updates: readonly RefUpdate[]): Promise<void> {
    await this.refuseMoved(updates);
    const deadline = Date.now() + this.patience.waitMs;
    for (let attempt = 1; ; attempt++) {
      const failure = await this.attempt(updates);
      if (!failure || (await this.isApplied(updates))) return;
      await this.refuseMoved(updates);
      await this.refuseNameConflict(updates);
      const locked = await this.waitsForLock(updates);
      if (Date.now() > deadline || (!locked && attempt >= 3)) throw failure;
      await delay(Math.min(5 * 2 ** attempt, 100));
    }
  }

  private async attempt(updates: readonly RefUpdate[]): Promise<GitError | undefined> {
    try {
      await this.slot.use().commit(updates);
      return undefined;
    } catch (error) {
      if (error instanceof GitError) return error;
      throw error;
    }
  }

  private async isApplied(updates: readonly RefUpdate[]): Promise<boolean> {
    const heads = await Promise.all(updates.map(({ ref }) => this.refs.resolve(ref)));
    return updates.every(({ newOid }, index) => heads[index] === newOid);
  }

  private async refuseMoved(updates: readonly RefUpdate[]): Promise<void> {
    for (const { ref, oldOid } of updates) {
      const actual = await this.refs.resolve(ref);
      if (actual !== oldOid) throw new RefMovedError(ref, oldOid, actual);
    }
  }

  private async refuseNameConflict(updates: readonly RefUpdate[]): Promise<void> {
    for (const { ref } of updates.filter(({ newOid, oldOid }) => newOid !== null && oldOid === null)) {
      const other = (await this.aboveOf(ref)) ?? (await this.refs.anyBelow(ref));
      if (other !== undefined) throw new RefNameConflictError(ref, other);
    }
  }

  private async aboveOf(ref: string): Promise<string | undefined> {
    const segments = ref.split('/');
    // `refs/heads` and the like are no references.
    for (let length = 3; length < segments.length; length++) {
      const above = segments.slice(0, length).join('/');
      if (await this.refs.resolve(above)) return above;
    }
    return undefined;
  }

  /** A lock older than any living git would hold it belongs to a dead process and is taken away. */
  private async waitsForLock(updates: readonly RefUpdate[]): Promise<boolean> {
    let found = false;
    for (const name of [...updates.map(({ ref }) => ref), 'packed-refs', 'HEAD']) {
      const path = join(this.options.gitDir, `${name}.lock`);
      const info = await stat(path).catch(() => undefined);
      if (!info) continue;
      found = true;
      if (Date.now() - info.mtimeMs > this.patience.staleMs) await unlink(path).catch(() => undefined);
    }
    return found;
  }
}

function checkUpdate({ ref, newOid, oldOid }: RefUpdate): RefUpdate {
  if (newOid === null && oldOid === null) throw new TypeError(`Nothing to update: ${ref}`);
  for (const oid of [newOid, oldOid]) if (oid !== null) checkObjectId(oid);
  return { ref: checkRef(ref), newOid, oldOid };
}
