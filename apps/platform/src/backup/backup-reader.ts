import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { own } from '@plinth/streams';
import { extract } from 'tar-stream';
import { BackupError } from './backup-error';
import {
  CHECKSUMS,
  HEADER,
  isEntryName,
  outcome,
  OUTCOME,
  parseHeader,
  type BackupHeader,
  type BackupOutcome,
} from './backup-format';

/** Beyond this, an entry that is held in memory is none of ours. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;
/** What precedes the content of an entry is held in memory, too. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** A backup file. Whoever uses what is in it calls {@link verify} before. */
export class BackupReader {
  constructor(private readonly file: string) {}

  /** @throws BackupError when it is no backup, or that of a newer release */
  async header(): Promise<BackupHeader> {
    for await (const { name, content } of this.entries()) {
      if (name !== HEADER) break;
      return parseHeader(await textOf(content).catch((error: unknown) => Promise.reject(this.damageOf(error))));
    }
    throw new BackupError(`${this.file} is no backup of Plinth`);
  }

  /**
   * Reads the whole file and compares every checksum.
   *
   * @throws BackupError when a byte is missing or another one than was written
   */
  verify(): Promise<BackupOutcome> {
    return this.compared().catch((error: unknown) => Promise.reject(this.damageOf(error)));
  }

  private async compared(): Promise<BackupOutcome> {
    const sums: string[] = [];
    let told: BackupOutcome | undefined;
    let last = '';
    for await (const { name, content } of this.entries()) {
      if (last === CHECKSUMS) throw new BackupError(`${this.file} is damaged: something follows its end`);
      last = name;
      if (name === CHECKSUMS) {
        if ((await textOf(content)) !== sums.join('')) throw this.damaged('a checksum is another one');
      } else if (name === OUTCOME) {
        const text = await textOf(content);
        sums.push(`${createHash('sha256').update(text).digest('hex')}  ${name}\n`);
        told = outcomeOf(text);
      } else sums.push(`${await hashOf(content)}  ${name}\n`);
    }
    if (last !== CHECKSUMS || !told) throw this.damaged('it is cut off');
    return told;
  }

  /** Every entry in its order. The content of one is to be read, or left, before the next one is asked for. */
  async *entries(): AsyncGenerator<{ name: string; content: Readable }> {
    const tar = own(extract());
    const source = own(createReadStream(this.file), (error) => tar.destroy(error));
    let headerBytes = 0;
    let isInEntry = false;
    source.on('data', (chunk) => {
      headerBytes = isInEntry ? 0 : headerBytes + chunk.length;
      if (headerBytes > MAX_HEADER_BYTES) tar.destroy(this.damaged('a header is too long'));
    });
    source.pipe(tar);
    try {
      for await (const entry of tar) {
        const { name, type } = entry.header;
        if (type !== 'file' || !isEntryName(name)) throw this.damaged(`it has what no backup has: ${type} ${name}`);
        isInEntry = true;
        entry.once('end', () => (isInEntry = false));
        yield { name, content: entry };
        entry.resume();
      }
    } catch (error) {
      throw this.damageOf(error);
    } finally {
      source.destroy();
    }
  }

  /** What a reader of an entry, or of the file, ran into. */
  private damageOf(error: unknown): unknown {
    return error instanceof BackupError || isSystemError(error) ? error : this.damaged((error as Error).message);
  }

  private damaged(how: string): BackupError {
    return new BackupError(`${this.file} is damaged: ${how}`);
  }
}

function outcomeOf(text: string): BackupOutcome | undefined {
  try {
    return outcome.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

async function hashOf(content: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

export async function textOf(content: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_TEXT_BYTES) throw new BackupError('An entry of the backup is too long');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
