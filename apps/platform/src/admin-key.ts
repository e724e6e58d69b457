import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newApiKey, secretFile } from './secret-file';

/**
 * The first administrator's key of an installation, in the file `admin-api-key` of its data folder. The file has that
 * name only while the key in it works: before that is known, and when it is not so, it is called
 * `admin-api-key.unused`. So no key is lost in a crash, or by a start on another database.
 */
export class AdminKey {
  /** The key in the file; undefined when there is none, and none was to be made. */
  readonly value: string | undefined;
  private readonly file: string;
  private readonly unusedFile: string;
  private readonly isNew: boolean;

  /** @param isGiven whether the operator gave a key, so that none has to be made */
  constructor(dataFolder: string, isGiven: boolean) {
    this.file = join(dataFolder, 'admin-api-key');
    this.unusedFile = join(dataFolder, 'admin-api-key.unused');
    const kept = [this.file, this.unusedFile].find(existsSync);
    this.isNew = kept === undefined && !isGiven;
    if (kept !== undefined) this.value = readFileSync(kept, 'utf8').trim();
    else if (this.isNew) this.value = secretFile(this.unusedFile, newApiKey);
  }

  /** Names the file for what its key is worth. A key that was made in vain goes. @returns its path while the key works */
  settle(works: boolean): string | undefined {
    if (works && !existsSync(this.file)) renameSync(this.unusedFile, this.file);
    if (!works && this.isNew) rmSync(this.unusedFile);
    if (!works && existsSync(this.file)) renameSync(this.file, this.unusedFile);
    return works ? this.file : undefined;
  }
}
