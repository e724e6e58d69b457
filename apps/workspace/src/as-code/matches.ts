import type { DeclaredContent } from './declared';
import type { StoredItem } from './stored-item';
import { slugOf, type StoredTree } from './stored-tree';

/** Finds the stored things that an archive means: folders by their names, workbooks by slugs, reports by public ids. */
export class Matches {
  private readonly byDirectory = new Map<string, StoredItem>();
  private readonly byPublicId = new Map<string, StoredItem>();
  /** Ids of what the archive means. */
  readonly found: ReadonlySet<number>;

  constructor(tree: StoredTree, { folders, workbooks, reports }: DeclaredContent) {
    const bySlug = new Map<string, StoredItem>();
    for (const item of tree.items.values()) {
      if (item.type === 'WORKBOOK') bySlug.set(slugOf(item), item);
      if (item.publicId !== null) this.byPublicId.set(item.publicId, item);
    }
    this.matchFolders(tree, folders);
    for (const { directory, slug } of workbooks.values()) {
      const stored = bySlug.get(slug);
      if (stored) this.byDirectory.set(directory, stored);
    }
    const items = [...this.byDirectory.values(), ...reports.map(({ publicId }) => this.report(publicId))];
    this.found = new Set(items.flatMap((item) => item?.id ?? []));
  }

  /** The folder or workbook of a directory. */
  at(directory: string): StoredItem | undefined {
    return this.byDirectory.get(directory);
  }

  report(publicId: string): StoredItem | undefined {
    return this.byPublicId.get(publicId);
  }

  /** Of folders that share a name, the first directory means the oldest. */
  private matchFolders(tree: StoredTree, folders: DeclaredContent['folders']): void {
    const met = new Map<string, number>();
    for (const { directory, parent, name } of folders.values()) {
      const around = parent === '' ? null : this.byDirectory.get(parent)?.id;
      if (around === undefined) continue;
      const key = JSON.stringify([parent, name]);
      const place = met.get(key) ?? 0;
      met.set(key, place + 1);
      const stored = tree.childrenOf(around, 'FOLDER').filter((folder) => folder.name === name)[place];
      if (stored) this.byDirectory.set(directory, stored);
    }
  }
}
