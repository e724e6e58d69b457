import type { ObjectId } from '@plinth/git';

export interface SourceFile {
  /** Relative, with `/` between segments. */
  path: string;
  oid: ObjectId;
}

export interface FileNode {
  type: 'file';
  /** With a slash at its beginning, as every path of the tree. */
  path: string;
  oid: ObjectId;
}

export interface FolderNode {
  type: 'directory';
  path: string;
  children: SourceNode[];
}

export type SourceNode = FileNode | FolderNode;

interface Folder {
  folders: Map<string, Folder>;
  files: SourceFile[];
}

/** Files as a tree: folders before files, each in the order of their names. */
export function sourceTree(files: readonly SourceFile[]): SourceNode[] {
  const root: Folder = { folders: new Map(), files: [] };
  for (const file of files) folderOf(root, file.path).files.push(file);
  return nodesOf(root, '/');
}

/** The files of a tree in its own order. */
export const filesOf = (nodes: readonly SourceNode[]): FileNode[] =>
  nodes.flatMap((node) => (node.type === 'file' ? [node] : filesOf(node.children)));

function folderOf(root: Folder, path: string): Folder {
  let folder = root;
  for (const segment of path.split('/').slice(0, -1)) {
    const next = folder.folders.get(segment) ?? { folders: new Map(), files: [] };
    folder.folders.set(segment, next);
    folder = next;
  }
  return folder;
}

function nodesOf({ folders, files }: Folder, prefix: string): SourceNode[] {
  const directories = [...folders].sort(byFirst).map(([name, folder]): SourceNode => {
    const path = prefix + name;
    return { path, type: 'directory', children: nodesOf(folder, `${path}/`) };
  });
  const leaves = files.map(({ path, oid }): SourceNode => ({ path: `/${path}`, type: 'file', oid }));
  return [...directories, ...leaves.sort((a, b) => compare(a.path, b.path))];
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const byFirst = ([a]: [string, Folder], [b]: [string, Folder]): number => compare(a, b);
