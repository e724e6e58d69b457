import { type ObjectId } from './object-id';
import { type ObjectBatch } from './object-writer';
import { normalisePath } from './paths';
import { TreeEditor } from './tree-editor';
import { type TreeStore } from './tree-store';

/** One step of a commit; steps apply in order. */
export type TreeChange =
  | { kind: 'put'; path: string; content: Buffer | string }
  /** A blob that is stored already. */
  | { kind: 'link'; path: string; oid: ObjectId }
  | { kind: 'delete'; path: string }
  | { kind: 'rename'; from: string; to: string };

export interface TreeEdit {
  store: TreeStore;
  batch: ObjectBatch;
  base: ObjectId | null;
  changes: readonly TreeChange[];
}

/** Applies changes to a tree and answers the id of the new one, which exists once the batch is stored.
 * @throws InvalidPathError, PathNotFoundError, PathExistsError, PathObstructedError; nothing refers to what was written */
export async function editTree({ store, batch, base, changes }: TreeEdit): Promise<ObjectId> {
  const editor = new TreeEditor(store, base);
  for (const change of changes) {
    switch (change.kind) {
      case 'put':
        await editor.put(normalisePath(change.path), batch.add('blob', Buffer.from(change.content)));
        break;
      case 'link':
        await editor.put(normalisePath(change.path), change.oid);
        break;
      case 'delete':
        await editor.delete(normalisePath(change.path));
        break;
      case 'rename':
        await editor.rename(normalisePath(change.from), normalisePath(change.to));
        break;
    }
  }
  return editor.write(batch);
}
