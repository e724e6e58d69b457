import { PathExistsError, PathNotFoundError, PathObstructedError } from './git-error';
import { FILE_MODE, TREE_MODE, encodeTree } from './object-format';
import { type ObjectId } from './object-id';
import { type ObjectBatch } from './object-writer';
import { type TreeStore } from './tree-store';

interface File {
  mode: string;
  oid: ObjectId;
}

/** A directory whose entries are read when a change first goes through it; until then it is its object id alone. */
interface Directory {
  oid: ObjectId | null;
  entries?: Map<string, Node>;
}

type Node = File | Directory;

const isDirectory = (node: Node): node is Directory => !('mode' in node);

/** Changes to one tree. Only directories on changed paths are read and written; empty ones vanish, as git wants it. */
export class TreeEditor {
  private readonly root: Directory;

  constructor(
    private readonly store: TreeStore,
    tree: ObjectId | null,
  ) {
    this.root = { oid: tree };
  }

  /** @throws PathObstructedError when a file is in the way of a directory, or the reverse */
  put(path: string, oid: ObjectId): Promise<void> {
    return this.place(path, { mode: FILE_MODE, oid });
  }

  /** @throws PathNotFoundError unless `path` is a file */
  async delete(path: string): Promise<void> {
    await this.take(path);
  }

  /** Takes a file elsewhere with its mode.
   * @throws PathNotFoundError unless `from` is a file
   * @throws PathExistsError when `to` is taken */
  async rename(from: string, to: string): Promise<void> {
    await this.fileAt(from);
    if (await this.nodeAt(to)) throw new PathExistsError(to);
    await this.place(to, await this.take(from));
  }

  /** Writes what changed and answers the id of the root. */
  write(batch: ObjectBatch): ObjectId {
    return writeDirectory(this.root, batch);
  }

  private async place(path: string, file: File): Promise<void> {
    const segments = path.split('/');
    const name = segments.pop() ?? '';
    let directory = this.root;
    for (const [depth, segment] of segments.entries()) {
      const entries = await this.open(directory);
      const next = entries.get(segment) ?? { oid: null };
      if (!isDirectory(next)) throw new PathObstructedError(path, segments.slice(0, depth + 1).join('/'));
      entries.set(segment, next);
      directory = next;
    }
    const entries = await this.open(directory);
    const present = entries.get(name);
    if (present && isDirectory(present)) throw new PathObstructedError(path, path);
    entries.set(name, present ? { ...present, oid: file.oid } : file);
  }

  private async take(path: string): Promise<File> {
    const file = await this.fileAt(path);
    await this.remove(this.root, path.split('/'));
    return file;
  }

  private async remove(directory: Directory, [name = '', ...below]: string[]): Promise<void> {
    const entries = await this.open(directory);
    const next = entries.get(name);
    if (below.length > 0 && next && isDirectory(next)) await this.remove(next, below);
    if (below.length === 0 || (next && isDirectory(next) && next.entries?.size === 0)) entries.delete(name);
  }

  private async fileAt(path: string): Promise<File> {
    const node = await this.nodeAt(path);
    if (!node || isDirectory(node)) throw new PathNotFoundError(path);
    return node;
  }

  private async nodeAt(path: string): Promise<Node | undefined> {
    let node: Node | undefined = this.root;
    for (const segment of path.split('/')) {
      if (!node || !isDirectory(node)) return undefined;
      node = (await this.open(node)).get(segment);
    }
    return node;
  }

  private async open(directory: Directory): Promise<Map<string, Node>> {
    if (directory.entries) return directory.entries;
    const stored = directory.oid ? await this.store.entries(directory.oid) : [];
    directory.entries = new Map(
      stored.map(({ name, mode, oid }) => [name, mode === TREE_MODE ? { oid } : { mode, oid }]),
    );
    return directory.entries;
  }
}

function writeDirectory(directory: Directory, batch: ObjectBatch): ObjectId {
  if (!directory.entries && directory.oid) return directory.oid;
  const entries = [...(directory.entries ?? [])].map(([name, node]) =>
    isDirectory(node) ? { name, mode: TREE_MODE, oid: writeDirectory(node, batch) } : { name, ...node },
  );
  return batch.add('tree', encodeTree(entries));
}
