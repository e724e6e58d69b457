import { atMost } from '@plinth/caches';
import { LRUCache } from 'lru-cache';
import { TREE_MODE, type TreeEntry, decodeTree, treeOfCommit } from './object-format';
import { type ObjectId } from './object-id';
import { type ObjectReader } from './object-reader';

export interface TreeFile {
  path: string;
  oid: ObjectId;
  /** Git's octal file mode, `100644` for an ordinary file. */
  mode: string;
}

const MAX_CACHED_TREES = 2_000;
// Names a commit of another repository, which is not stored here.
const SUBMODULE_MODE = '160000';

/** Trees of one repository, with the recently used ones decoded in memory: an object never changes under its id. */
export class TreeStore {
  private readonly trees = new LRUCache<ObjectId, readonly TreeEntry[]>(atMost(MAX_CACHED_TREES));

  constructor(private readonly reader: ObjectReader) {}

  async entries(tree: ObjectId): Promise<readonly TreeEntry[]> {
    const cached = this.trees.get(tree);
    if (cached) return cached;
    const entries = decodeTree(await this.reader.read(tree, 'tree'));
    this.trees.set(tree, entries);
    return entries;
  }

  async treeOf(commit: ObjectId): Promise<ObjectId> {
    return treeOfCommit(await this.reader.read(commit, 'commit'));
  }

  /** All files below a tree in git's order, depth first; sibling directories are read at the same time. */
  async files(tree: ObjectId, prefix = ''): Promise<TreeFile[]> {
    const entries = await this.entries(tree);
    const nested = await Promise.all(
      entries.map(({ name, oid, mode }) => {
        const path = prefix + name;
        if (mode === TREE_MODE) return this.files(oid, `${path}/`);
        return mode === SUBMODULE_MODE ? [] : [{ path, oid, mode }];
      }),
    );
    return nested.flat();
  }

  /** The file or directory at a path, or undefined. */
  async find(tree: ObjectId, path: string): Promise<TreeEntry | undefined> {
    const [name, ...below] = path.split('/');
    const entry = (await this.entries(tree)).find((candidate) => candidate.name === name);
    if (!entry || below.length === 0) return entry;
    return entry.mode === TREE_MODE ? this.find(entry.oid, below.join('/')) : undefined;
  }
}
