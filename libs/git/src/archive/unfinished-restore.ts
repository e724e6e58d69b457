import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Below a storage root: where repositories of a restore wait until their rows are committed. */
export const restoreFolder = (storageRoot: string): string => join(storageRoot, '.restore');

/** The note in it that rows are committed, or about to be. */
export const restoreNote = (storageRoot: string): string => join(restoreFolder(storageRoot), 'tenants.json');

/** Whether repositories are not in their places that rows may name already: nobody may write below the root. */
export const hasUnfinishedRestore = (storageRoot: string): boolean => existsSync(restoreNote(storageRoot));
