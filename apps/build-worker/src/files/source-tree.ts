import type { Schemas } from '@plinth/contract';

type Node = Schemas['SourceTreeNode'];

export interface SourceFile {
  /** Relative, with `/` between segments. */
  path: string;
  /** Absent when it was not asked for, and for what is not text. */
  content?: string;
}

interface Folder {
  folders: Map<string, Folder>;
  files: SourceFile[];
}

/** Files as a tree: folders before files, each in the order of their names; paths begin with a slash. */
export function sourceTree(files: readonly SourceFile[]): Node[] {
  const root: Folder = { folders: new Map(), files: [] };
  for (const file of files) folderOf(root, file.path).files.push(file);
  return nodesOf(root, '/');
}

function folderOf(root: Folder, path: string): Folder {
  let folder = root;
  for (const segment of path.split('/').slice(0, -1)) {
    const next = folder.folders.get(segment) ?? { folders: new Map(), files: [] };
    folder.folders.set(segment, next);
    folder = next;
  }
  return folder;
}

function nodesOf({ folders, files }: Folder, prefix: string): Node[] {
  const directories = [...folders].sort(byFirst).map(([name, folder]): Node => {
    const path = prefix + name;
    return { path, type: 'directory', children: nodesOf(folder, `${path}/`) };
  });
  const leaves = files.map(({ path, content }): Node => {
    const node: Node = { path: `/${path}`, type: 'file' };
    return content === undefined ? node : { ...node, content };
  });
  return [...directories, ...leaves.sort((a, b) => compare(a.path, b.path))];
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const byFirst = ([a]: [string, Folder], [b]: [string, Folder]): number => compare(a, b);
