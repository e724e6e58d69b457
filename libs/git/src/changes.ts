import { ObjectId } from './object-id';
import { ObjectWriter } from './object-writer';
import { normalisePath } from './paths';
import { TreeEditor } from './tree-editor';
import { TreeStore } from './tree-store';

/** One step of a commit; steps apply in order. */
export type TreeChange =
  | { kind: 'put'; path: string; content: Buffer | string }
  | { kind: 'delete'; path: string }
  | { kind: 'rename'; from: string; to: string };

export interface TreeEdit {
  store: TreeStore;
  writer: ObjectWriter;
  base: ObjectId | null;
  changes: readonly TreeChange[];
}

/** Applies changes to a tree and answers the id of the new one.
 * @throws InvalidPathError, PathNotFoundError, PathExistsError, PathObstructedError; nothing refers to what was written */
export async function editTree({ store, writer, base, changes }: TreeEdit): Promise<ObjectId> {
  const editor = new TreeEditor(store, base);
  const blobs = await Promise.all(
    changes.map((change) => (change.kind === 'put' ? writer.write('blob', Buffer.from(change.content)) : '')),
  );
  for (const [index, change] of changes.entries()) {
    switch (change.kind) {
      case 'put':
        await editor.put(normalisePath(change.path), blobs[index] ?? '');
        break;
      case 'delete':
        await editor.delete(normalisePath(change.path));
        break;
      case 'rename':
        await editor.rename(normalisePath(change.from), normalisePath(change.to));
        break;
    }
  }
  return editor.write();
}
