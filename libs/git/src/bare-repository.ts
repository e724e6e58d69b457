import { join } from 'node:path';
import { type LRUCache } from 'lru-cache';
import { type StoredBlob, storeBlob } from './blob-spool';
import { branchRef, checkRef } from './branch-names';
import { type TreeChange, editTree } from './changes';
import { hashContents } from './content-hashes';
import { GitCommands } from './git-commands';
import { folderSize } from './folder-size';
import { type gitEnvironment } from './git-environment';
import { PathNotFoundError } from './git-error';
import { type SessionOptions } from './git-session';
import { type Branch, type LogEntry, findMergeBase, readBranches, readLog, readRefBelow } from './history';
import { type MergeResult } from './merge';
import { type Admission } from './object-files';
import { type CommitFields, type Signature, TREE_MODE, encodeCommit } from './object-format';
import { type ObjectId } from './object-id';
import { ObjectReader } from './object-reader';
import { ObjectWriter } from './object-writer';
import { KEPT_REF, type KeptObjects, packAll, packUsed, storeKeeper } from './packing';
import { normalisePath } from './paths';
import { type LockPatience, RefTransactions, type RefUpdate } from './ref-transactions';
import { isScattered, SCATTER_LIMITS, type ScatterLimits } from './scattered-objects';
import { TreeMerger } from './tree-merger';
import { type TreeFile, TreeStore } from './tree-store';
import { verifyObjects } from './verification';

/** A commit to be built on `expectedHead`, which is null for a branch that does not exist yet. */
export interface CommitRequest {
  expectedHead: ObjectId | null;
  changes: readonly TreeChange[];
  message: string;
  author: Signature;
  trailers?: Readonly<Record<string, string>>;
}

export interface PreparedCommit {
  commit: ObjectId;
  tree: ObjectId;
}

/** What a repository needs from its store. */
export interface RepositoryContext {
  binary: string;
  environment: ReturnType<typeof gitEnvironment>;
  idleMs: number;
  locks: LockPatience;
  /** SHA-1 of the content by blob id; shared by all repositories of a store. */
  contentHashes: LRUCache<ObjectId, string>;
  admission?: Admission;
}

/**
 * A git repository without a work tree. Objects are written in process, reads and reference updates go through long-lived
 * children that start on demand; every reference update compares and swaps. Methods may run in parallel.
 */
export class BareRepository {
  private readonly git: GitCommands;
  private readonly reader: ObjectReader;
  private readonly writer: ObjectWriter;
  private readonly trees: TreeStore;
  private readonly merger: TreeMerger;
  private readonly refs: RefTransactions;

  constructor(
    readonly directory: string,
    private readonly context: RepositoryContext,
  ) {
    const session: SessionOptions = { ...context, gitDir: directory };
    this.git = new GitCommands(directory, context.binary, context.environment);
    this.reader = new ObjectReader(session);
    this.writer = new ObjectWriter(directory, context.admission);
    this.trees = new TreeStore(this.reader);
    this.merger = new TreeMerger(this.git, this.trees, this.reader, this.writer);
    const refReader = {
      resolve: (ref: string) => this.reader.resolve(ref),
      anyBelow: (ref: string) => readRefBelow(this.git, ref),
    };
    this.refs = new RefTransactions(session, refReader, context.locks);
  }

  /** The commit that a branch points at, or null when there is no such branch. */
  head(branch: string): Promise<ObjectId | null> {
    return this.reader.resolve(branchRef(branch));
  }

  /** The object that a full reference names, or null. */
  resolveRef(ref: string): Promise<ObjectId | null> {
    return this.reader.resolve(checkRef(ref));
  }

  /** The commit that a full reference leads to, also by way of a tag; null when there is none. */
  commitAt(ref: string): Promise<ObjectId | null> {
    return this.reader.resolve(`${checkRef(ref)}^{commit}`);
  }

  /** A repository in another folder, opened like this one. The caller closes it. */
  at(directory: string): BareRepository {
    return new BareRepository(directory, this.context);
  }

  branches(): Promise<Branch[]> {
    return readBranches(this.git);
  }

  /** All files of a commit, or those below a directory; paths are full in both cases. */
  async readTree(commit: ObjectId, { prefix }: { prefix?: string } = {}): Promise<TreeFile[]> {
    const root = await this.trees.treeOf(commit);
    if (prefix === undefined) return this.trees.files(root);
    const directory = normalisePath(prefix.replace(/\/$/, ''));
    const entry = await this.trees.find(root, directory);
    return entry?.mode === TREE_MODE ? this.trees.files(entry.oid, `${directory}/`) : [];
  }

  /** The tree that a commit holds: equal trees mean equal contents, whatever the history. */
  treeOf(commit: ObjectId): Promise<ObjectId> {
    return this.trees.treeOf(commit);
  }

  /** What a file or directory of a commit is stored as, whatever the history; null when there is none. */
  async entryAt(commit: ObjectId, path: string): Promise<ObjectId | null> {
    return (await this.trees.find(await this.trees.treeOf(commit), normalisePath(path)))?.oid ?? null;
  }

  /** Bytes of a file's content. */
  blobSize(oid: ObjectId): Promise<number> {
    return this.reader.sizeOf(oid);
  }

  readBlob(oid: ObjectId): Promise<Buffer> {
    return this.reader.read(oid, 'blob');
  }

  /** Blobs in the order asked for, read a few ahead of the consumer. */
  readBlobs(oids: readonly ObjectId[]): AsyncGenerator<Buffer, void, undefined> {
    return this.reader.readAhead(oids, 'blob');
  }

  /** @throws PathNotFoundError unless `path` is a file in the commit */
  async fileAt(commit: ObjectId, path: string): Promise<Buffer> {
    const normal = normalisePath(path);
    const entry = await this.trees.find(await this.trees.treeOf(commit), normal);
    if (!entry || entry.mode === TREE_MODE) throw new PathNotFoundError(normal);
    return this.readBlob(entry.oid);
  }

  /** SHA-1 of every file's raw content (not git's blob id), by path. */
  async contentHashes(commit: ObjectId): Promise<Map<string, string>> {
    const files = await this.readTree(commit);
    const blobs = new Set(files.map(({ oid }) => oid));
    const hashes = await hashContents(blobs, this.context.contentHashes, (oids) => this.readBlobs(oids));
    return new Map(files.map(({ path, oid }) => [path, hashes.get(oid) ?? '']));
  }

  /** Stores a file's content and answers its blob id. */
  writeBlob(content: Buffer): Promise<ObjectId> {
    return this.writer.write('blob', content);
  }

  /** Stores a file's content as it arrives, whatever its length.
   * @throws BlobTooLargeError, and what the source throws; nothing is stored then */
  async storeBlob(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBlob> {
    const stored = await storeBlob(this.directory, source, maxBytes, this.context.admission);
    this.context.contentHashes.set(stored.oid, stored.contentHash);
    return stored;
  }

  /** Writes the objects of a commit and moves no branch: until {@link updateRefs} nobody sees it. */
  async prepareCommit(request: CommitRequest): Promise<PreparedCommit> {
    const { expectedHead, changes, ...fields } = request;
    const base = expectedHead === null ? null : await this.trees.treeOf(expectedHead);
    const batch = this.writer.batch();
    const tree = await editTree({ store: this.trees, batch, base, changes });
    const parents = expectedHead === null ? [] : [expectedHead];
    const commit = batch.add('commit', encodeCommit({ ...fields, tree, parents }));
    await batch.store();
    return { commit, tree };
  }

  /** Commits changes to a branch.
   * @throws RefMovedError when the branch is not at `expectedHead`; nothing is visible then */
  async commitChanges({ branch, ...request }: CommitRequest & { branch: string }): Promise<ObjectId> {
    const ref = branchRef(branch);
    const { commit } = await this.prepareCommit(request);
    await this.updateRefs([{ ref, newOid: commit, oldOid: request.expectedHead }]);
    return commit;
  }

  /** Writes a commit object around an existing tree. */
  commitTree(commit: CommitFields): Promise<ObjectId> {
    return this.writer.write('commit', encodeCommit(commit));
  }

  /** Moves references, all or none; see {@link RefTransactions.commit} for the errors. */
  updateRefs(updates: readonly RefUpdate[]): Promise<void> {
    return this.refs.commit(updates);
  }

  /** @throws RefMovedError when the branch exists */
  createBranch(name: string, at: ObjectId): Promise<void> {
    return this.updateRefs([{ ref: branchRef(name), newOid: at, oldOid: null }]);
  }

  /** @throws RefMovedError when the branch is not at `expectedHead` */
  deleteBranch(name: string, expectedHead: ObjectId): Promise<void> {
    return this.updateRefs([{ ref: branchRef(name), newOid: null, oldOid: expectedHead }]);
  }

  mergeBase(a: ObjectId, b: ObjectId): Promise<ObjectId | null> {
    return findMergeBase(this.git, a, b);
  }

  async isAncestor(ancestor: ObjectId, descendant: ObjectId): Promise<boolean> {
    return ancestor === descendant || (await this.mergeBase(ancestor, descendant)) === ancestor;
  }

  /**
   * Merges two commits without touching a branch. With `base` the merge is against that commit's tree (null: against
   * nothing); without, against the commits' own merge base.
   */
  mergeTrees(base: ObjectId | null | undefined, ours: ObjectId, theirs: ObjectId): Promise<MergeResult> {
    return this.merger.merge(base, ours, theirs);
  }

  /** The history of a branch, newest first; empty when there is no such branch. */
  async log(branch: string, limit: number): Promise<LogEntry[]> {
    const head = await this.head(branch);
    return head === null ? [] : readLog(this.git, head, limit);
  }

  /** Verifies every object and the links between them.
   * @throws GitError naming what is broken */
  fsck(): Promise<void> {
    return verifyObjects(this.git);
  }

  /**
   * Packs the repository when its objects are scattered over many files. Objects that no reference reaches are kept, so
   * writers and readers need not wait: a commit that is being prepared refers to nothing that could vanish.
   *
   * @returns whether there was a reason to pack
   * @throws GitError when git fails or `signal` ends it; the repository is as it was then
   */
  async tidy(signal: AbortSignal, limits: ScatterLimits = SCATTER_LIMITS): Promise<boolean> {
    if (!(await isScattered(this.directory, limits))) return false;
    await packAll(this.stoppable(signal));
    return true;
  }

  /**
   * Packs the repository without what no reference reaches and nobody has stored since `unusedSince`, except `kept`.
   * That moment must lie further back than anybody takes from storing an object to referring to it.
   *
   * @throws GitError when git fails or `signal` ends it; nothing in use is lost then
   */
  async collect(signal: AbortSignal, { kept, unusedSince }: { kept: KeptObjects; unusedSince: Date }): Promise<void> {
    const newOid = await storeKeeper(this.reader, new ObjectWriter(this.directory), kept);
    const oldOid = await this.reader.resolve(KEPT_REF);
    if (newOid !== oldOid) await this.updateRefs([{ ref: KEPT_REF, newOid, oldOid }]);
    await packUsed(this.stoppable(signal), unusedSince);
    // The child that reads would hold the dropped packs, and what they take on disk.
    await this.reader.close();
  }

  /** Bytes that the objects take on disk. */
  storedBytes(): Promise<number> {
    return folderSize(join(this.directory, 'objects'));
  }

  /** Asks the store's admission for what comes into the repository by other ways than this class. */
  async admit(bytes: number): Promise<void> {
    if (bytes > 0) await this.context.admission?.(bytes);
  }

  /** Ends the children after what they have been asked; a later call starts new ones. */
  async close(): Promise<void> {
    await this.refs.close();
    await this.reader.close();
  }

  private stoppable(signal: AbortSignal): GitCommands {
    return new GitCommands(this.directory, this.context.binary, this.context.environment, signal);
  }
}
