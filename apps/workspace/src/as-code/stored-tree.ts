import { byDirectory, derivedSlug, joined, labelOf } from './content-files';
import type { StoredItem } from './stored-item';

/** What a viewer can see of a deployment, with the directories that an archive has for it. */
export class StoredTree {
  readonly items: ReadonlyMap<number, StoredItem>;
  private readonly children = new Map<number | null, StoredItem[]>();
  private readonly publicIds = new Map<number, string>();

  constructor(items: readonly StoredItem[]) {
    this.items = new Map(items.map((item) => [item.id, item]));
    for (const item of items) {
      const siblings = this.children.get(item.parentId);
      if (siblings) siblings.push(item);
      else this.children.set(item.parentId, [item]);
      if (item.publicId !== null) this.publicIds.set(item.id, item.publicId);
    }
  }

  publicIdOf(id: unknown): string | undefined {
    return typeof id === 'number' ? this.publicIds.get(id) : undefined;
  }

  /** Of one type that lie directly in a thing or at the root, oldest first. */
  childrenOf(parentId: number | null, type: StoredItem['type']): StoredItem[] {
    return (this.children.get(parentId) ?? []).filter((item) => item.type === type);
  }

  /** Everything in the order of an archive, with its directory, or for a report that of what it lies in. */
  *walk(parentId: number | null = null, directory = ''): Generator<{ item: StoredItem; directory: string }> {
    const inside = this.directoriesIn(parentId);
    for (const [label, item] of inside) {
      const own = joined(directory, label);
      yield { item, directory: own };
      yield* this.walk(item.id, own);
    }
    const reports = this.childrenOf(parentId, 'REPORT').sort((a, b) =>
      (a.publicId ?? '') < (b.publicId ?? '') ? -1 : 1,
    );
    for (const item of reports) yield { item, directory };
  }

  /** Those that come later get a number when their names make the same label. */
  private directoriesIn(parentId: number | null): [label: string, item: StoredItem][] {
    const taken = new Map<string, StoredItem>();
    const containers = [...this.childrenOf(parentId, 'FOLDER'), ...this.childrenOf(parentId, 'WORKBOOK')];
    for (const item of containers) {
      const label = labelOf(item.type === 'WORKBOOK' ? slugOf(item) : item.name);
      let free = label;
      for (let number = 2; taken.has(free); number++) free = `${label}-${number}`;
      taken.set(free, item);
    }
    return [...taken].sort(([left], [right]) => byDirectory(left, right));
  }
}

/** Slug of a workbook, also of one that has none. */
export const slugOf = (workbook: StoredItem): string => workbook.slug ?? derivedSlug(workbook);
