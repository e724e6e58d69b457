import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, rmSync, type WriteStream } from 'node:fs';
import { link, open, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { own } from '@plinth/streams';
import { pack } from 'tar-stream';
import { BackupError } from './backup-error';
import { CHECKSUMS } from './backup-format';

const PRIVATE = 0o600;

/**
 * Writes a backup beside its final place, and gives it its name when it is whole and on the disk. Each entry is written to
 * a file of its own first, because a tar file says the size before the bytes; so no entry is held in memory, and one that fails
 * half-way can be written again.
 */
export class BackupWriter {
  private readonly tar = own(pack());
  private readonly output: WriteStream;
  private readonly written: Promise<void>;
  private readonly partial: string;
  private readonly spool: string;
  private readonly checksums: string[] = [];
  private readonly file: string;

  /** @throws BackupError when there is such a file, or no folder for it */
  constructor(file: string) {
    this.file = resolve(file);
    if (existsSync(this.file)) throw new BackupError(`${this.file} is there already`);
    if (!existsSync(dirname(this.file))) throw new BackupError(`There is no folder ${dirname(this.file)}`);
    this.partial = `${this.file}.${randomUUID()}.partial`;
    this.spool = `${this.partial}.entry`;
    this.output = createWriteStream(this.partial, { mode: PRIVATE, flags: 'wx' });
    this.written = pipeline(this.tar, this.output);
    this.written.catch(() => undefined);
    process.once('exit', this.remove);
  }

  /** Adds an entry, written by `write`. Returns what that returns. */
  async add<T>(name: string, write: (target: Writable) => Promise<T>): Promise<T> {
    const result = await write(createWriteStream(this.spool, { mode: PRIVATE }));
    const { size } = await stat(this.spool);
    const hash = createHash('sha256');
    const entry = own(this.tar.entry({ name, size, mode: PRIVATE }));
    const watched = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of source) {
        hash.update(chunk);
        yield chunk;
      }
    };
    // The disk may be full: then nobody takes the entry any more.
    await Promise.race([pipeline(createReadStream(this.spool), watched, entry), this.failure()]);
    this.checksums.push(`${hash.digest('hex')}  ${name}\n`);
    return result;
  }

  addText(name: string, text: string): Promise<void> {
    return this.add(name, async (target) => {
      target.end(text);
      await once(target, 'close');
    });
  }

  /** @returns the bytes of the file */
  async finish(): Promise<number> {
    const lines = this.checksums.join('');
    await this.addText(CHECKSUMS, lines);
    this.tar.finalize();
    await this.written;
    await sync(this.partial);
    // Unlike a rename, this takes nobody's file away.
    await link(this.partial, this.file);
    await rm(this.partial);
    await sync(dirname(this.file));
    await this.discard();
    return (await stat(this.file)).size;
  }

  /** Leaves nothing behind of what is not finished. */
  async discard(): Promise<void> {
    this.tar.destroy();
    await this.written.catch(() => undefined);
    this.remove();
    process.removeListener('exit', this.remove);
  }

  private readonly remove = (): void => {
    for (const path of [this.partial, this.spool]) rmSync(path, { force: true });
  };

  private async failure(): Promise<never> {
    await this.written;
    throw new BackupError(`${this.partial} was closed`);
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
