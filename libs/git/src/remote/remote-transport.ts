import { join } from 'node:path';
import { WakeableLoop, type WakeableLoopOptions } from '@plinth/tasks';
import { type BareRepository } from '../bare-repository';
import { branchRef, isValidBranchName } from '../branch-names';
import { RefMovedError, RefNameConflictError } from '../git-error';
import { type Branch } from '../history';
import { type ObjectId, checkObjectId } from '../object-id';
import { IncomingRepository } from './incoming-repository';
import { locateRef } from './locate-ref';
import { pushRefusal } from './push-report';
import { type PreparedAccess, type RemoteAccess, type RemoteAccessSettings, prepareAccess } from './remote-access';
import { RemoteRejectedError, RemoteTooLargeError, RemoteUnreachableError, remoteErrorFrom } from './remote-error';
import { type RemoteProcess, runRemoteProcess, runToSuccess } from './remote-process';

export interface RemoteTransportSettings extends RemoteAccessSettings {
  /** Milliseconds that one command may take. */
  timeoutMs: number;
  /** Bytes that one fetch may bring. */
  maxFetchBytes: number;
  logger: WakeableLoopOptions['logger'];
}

export interface RemoteListing {
  branches: Branch[];
  /** The branch that the server's HEAD names; null for an empty repository. */
  defaultBranch: string | null;
}

/** A change of one branch in the remote repository, refused unless the branch is at `oldOid` there (null: absent). */
export interface RemotePush {
  branch: string;
  newOid: ObjectId | null;
  oldOid: ObjectId | null;
}

export interface RemoteFetch {
  branches: readonly string[];
  /** Bytes that it may bring, when fewer than the settings allow. */
  maxBytes?: number;
  /**
   * Looks at what came before it becomes part of the repository; when it throws, nothing is kept. `incoming` reads both
   * the new objects and the repository's own.
   */
  accept?(incoming: BareRepository, heads: ReadonlyMap<string, ObjectId>): Promise<void>;
}

/** One branch or tag of a remote repository at its newest commit. */
export interface RemoteSnapshot {
  /** Full name of the reference, such as `refs/heads/main`. */
  ref: string;
  commit: ObjectId;
  /** Reads what came; it has no history, and is gone when the look at it is over. */
  repository: BareRepository;
}

export interface SnapshotRequest {
  /** A branch, a tag, a full reference, or the id of a commit that the server hands out; null for the default branch. */
  ref: string | null;
  /** Bytes that it may bring, when fewer than the settings allow. */
  maxBytes?: number;
}

/** The reference that remembers where a branch was in the remote repository when it was last fetched or pushed. */
export const upstreamRef = (branch: string): string => `refs/remotes/upstream/${branchRef(branch).slice(11)}`;

const WATCH_EVERY_MS = 250;
const UNLIMITED = 2 ** 40;
const SNAPSHOT_REF = 'refs/plinth/snapshot';
/** Below it, git could not even write the files that a fetch begins with; the admission is exact. */
const SMALLEST_LIMIT = 1024 * 1024;

/**
 * Moves commits between repositories of this store and remote ones, over HTTPS or SSH. Every method runs git once, in a
 * process group with a deadline, and throws one of the errors of `remote-error.ts`, or the signal's reason.
 */
export class RemoteTransport {
  constructor(private readonly settings: RemoteTransportSettings) {}

  /** The branches of the remote repository. */
  list(repository: BareRepository, access: RemoteAccess, signal?: AbortSignal): Promise<RemoteListing> {
    return this.withAccess(repository, access, signal, async (prepared, run) => {
      const args = ['ls-remote', '--quiet', '--symref', '--', prepared.url, 'HEAD', 'refs/heads/*'];
      return readListing(await runToSuccess({ ...run, args }));
    });
  }

  /**
   * Fetches branches with their whole history (tags and other branches stay away) and records them under
   * {@link upstreamRef}. Objects pass git's own checks first.
   *
   * @returns where each branch is
   * @throws RemoteRejectedError when one of the branches does not exist
   */
  fetch(
    repository: BareRepository,
    access: RemoteAccess,
    { branches, maxBytes, accept }: RemoteFetch,
    signal?: AbortSignal,
  ): Promise<Map<string, ObjectId>> {
    return this.withAccess(repository, access, signal, async (prepared, run) => {
      const incoming = await IncomingRepository.create(repository.directory);
      try {
        const maxFetchBytes = Math.min(this.settings.maxFetchBytes, Math.max(maxBytes ?? Infinity, SMALLEST_LIMIT));
        const refspecs = branches.map((branch) => `+${branchRef(branch)}:${branchRef(branch)}`);
        await this.receive(incoming, prepared, { ...run, maxFileBytes: maxFetchBytes }, [], refspecs);
        const view = repository.at(incoming.directory);
        const heads = new Map((await view.branches()).map(({ name, head }) => [name, head]));
        await accept?.(view, heads).finally(() => view.close());
        await view.close();
        await repository.admit(await incoming.packedBytes());
        await incoming.admit();
        for (const [branch, head] of heads) await record(repository, branch, head);
        return heads;
      } finally {
        await incoming.remove();
      }
    });
  }

  /**
   * Looks at a branch or tag without keeping anything of it: `repository` lends its folder for the time, and its objects.
   *
   * @throws RemoteRejectedError when there is no such reference, and what `look` throws
   */
  snapshot<T>(
    repository: BareRepository,
    access: RemoteAccess,
    { ref: wanted, maxBytes = Infinity }: SnapshotRequest,
    look: (snapshot: RemoteSnapshot) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.withAccess(repository, access, signal, async (prepared, run) => {
      const ref = await locateRef(prepared.url, run, wanted);
      const incoming = await IncomingRepository.create(repository.directory);
      try {
        const maxFileBytes = Math.min(this.settings.maxFetchBytes, Math.max(maxBytes, SMALLEST_LIMIT));
        await this.receive(incoming, prepared, { ...run, maxFileBytes }, ['--depth=1'], [`+${ref}:${SNAPSHOT_REF}`]);
        const view = repository.at(incoming.directory);
        try {
          // A tag may stand for a commit by way of an object of its own.
          const commit = await view.commitAt(SNAPSHOT_REF);
          if (commit === null)
            throw new RemoteRejectedError(`${wanted ?? ref} of the remote repository is no commit.`, false);
          return await look({ ref, commit, repository: view });
        } finally {
          await view.close();
        }
      } finally {
        await incoming.remove();
      }
    });
  }

  /**
   * Creates, moves or deletes one branch in the remote repository. Repeating a push that went through is no error.
   *
   * @throws RemoteRejectedError
   */
  push(repository: BareRepository, access: RemoteAccess, push: RemotePush, signal?: AbortSignal): Promise<void> {
    const ref = branchRef(push.branch);
    const oldOid = push.oldOid === null ? '' : checkObjectId(push.oldOid);
    const source = push.newOid === null ? '' : checkObjectId(push.newOid);
    return this.withAccess(repository, access, signal, async (prepared, run) => {
      const lease = `--force-with-lease=${ref}:${oldOid}`;
      const args = ['push', '--porcelain', '--no-verify', lease, '--', prepared.url, `${source}:${ref}`];
      const { code, stdout, stderr } = await runRemoteProcess({ ...run, args });
      const refusal = pushRefusal(stdout);
      if (refusal) throw refusal;
      if (code !== 0) throw remoteErrorFrom(stderr);
      await record(repository, push.branch, push.newOid);
    });
  }

  private async withAccess<T>(
    repository: BareRepository,
    access: RemoteAccess,
    signal: AbortSignal | undefined,
    work: (prepared: PreparedAccess, run: Omit<RemoteProcess, 'args'>) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs, binary = 'git' } = this.settings;
    const deadline = AbortSignal.timeout(timeoutMs);
    const prepared = await prepareAccess(access, this.settings, join(repository.directory, 'ssh-known-hosts'));
    try {
      return await work(prepared, {
        binary,
        directory: repository.directory,
        environment: prepared.environment,
        secrets: prepared.secrets,
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
        maxFileBytes: UNLIMITED,
      });
    } catch (error) {
      if (error !== deadline.reason) throw error;
      throw new RemoteUnreachableError(`The git server did not finish within ${timeoutMs / 1000} seconds.`);
    } finally {
      await prepared.close();
    }
  }

  private async receive(
    incoming: IncomingRepository,
    { url }: PreparedAccess,
    run: Omit<RemoteProcess, 'args'>,
    options: readonly string[],
    refspecs: readonly string[],
  ): Promise<void> {
    const maxFetchBytes = run.maxFileBytes;
    const excess = new AbortController();
    // The kernel bounds each file exactly; this bounds their sum for a server that sends many.
    const look = async (): Promise<void> => {
      if ((await incoming.size()) > 2 * maxFetchBytes)
        excess.abort(new RemoteTooLargeError(tooLargeText(maxFetchBytes)));
    };
    const { logger } = this.settings;
    const watch = new WakeableLoop(look, { name: 'measure what is fetched', everyMs: WATCH_EVERY_MS, logger });
    watch.start();
    const flags = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules'];
    try {
      await runToSuccess({
        ...run,
        directory: incoming.directory,
        args: ['--git-dir=.', 'fetch', ...flags, ...options, '--', url, ...refspecs],
        signal: AbortSignal.any([run.signal, excess.signal]),
      });
    } catch (error) {
      // What hits the kernel's limit dies without a word.
      if (run.signal.aborted || (await incoming.size()) < maxFetchBytes) throw error;
      throw new RemoteTooLargeError(tooLargeText(maxFetchBytes));
    } finally {
      await watch.stop();
    }
  }
}

/** Another fetch may record at the same time, and a branch that is gone may stand in the way of a new one's name. */
async function record(repository: BareRepository, branch: string, newOid: ObjectId | null): Promise<void> {
  const ref = upstreamRef(branch);
  for (let attempt = 1; ; attempt++) {
    const oldOid = await repository.resolveRef(ref);
    if (oldOid === newOid) return;
    try {
      return await repository.updateRefs([{ ref, newOid, oldOid }]);
    } catch (error) {
      if (attempt >= 5) throw error;
      if (error instanceof RefNameConflictError) await forget(repository, error.existing);
      else if (!(error instanceof RefMovedError)) throw error;
    }
  }
}

async function forget(repository: BareRepository, ref: string): Promise<void> {
  const oldOid = await repository.resolveRef(ref);
  if (oldOid !== null) await repository.updateRefs([{ ref, newOid: null, oldOid }]);
}

/** Reads `ref: refs/heads/main\tHEAD` and `<oid>\trefs/heads/<name>`. */
function readListing(output: string): RemoteListing {
  const branches: Branch[] = [];
  let defaultBranch: string | null = null;
  for (const line of output.split('\n')) {
    const [value = '', ref = ''] = line.split('\t');
    const name = (ref === 'HEAD' ? value.replace(/^ref: /, '') : ref).replace(/^refs\/heads\//, '');
    if (!isValidBranchName(name)) continue;
    if (ref === 'HEAD') defaultBranch = value.startsWith('ref: ') ? name : defaultBranch;
    else branches.push({ name, head: checkObjectId(value) });
  }
  return { branches, defaultBranch };
}

const tooLargeText = (maxBytes: number): string =>
  `The remote repository is larger than the ${Math.floor(maxBytes / 1024 / 1024)} MiB allowed.`;
