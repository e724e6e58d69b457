import { GitError, ObjectNotFoundError } from './git-error';
import { GitSession, type SessionOptions, SessionSlot } from './git-session';
import { type ObjectType } from './object-format';
import { type ObjectId, checkObjectId } from './object-id';

interface Header {
  oid: ObjectId;
  type: string;
  size: number;
}

interface StoredObject extends Header {
  content: Buffer;
}

interface Pending {
  wantsContent: boolean;
  resolve(object: StoredObject | null): void;
  reject(error: Error): void;
}

const NEWLINE = 0x0a;
// Bounds what one listing keeps in flight, and so in memory.
const READ_AHEAD = 32;

/** `git cat-file --batch-command`: answers come in the order of the requests. */
class CatFileSession extends GitSession {
  private readonly pending: Pending[] = [];
  private chunks: Buffer[] = [];
  private buffered = 0;
  private header: Header | undefined;

  constructor(options: SessionOptions) {
    super('cat-file', ['--batch-command'], options);
  }

  request(name: string, wantsContent: boolean): Promise<StoredObject | null> {
    return new Promise((resolve, reject) => {
      this.pending.push({ wantsContent, resolve, reject });
      this.write(`${wantsContent ? 'contents' : 'info'} ${name}\n`);
    });
  }

  protected onData(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.buffered += chunk.length;
    while (this.header ? this.takeContent(this.header) : this.takeHeader());
  }

  protected onExit(failure: GitError): void {
    for (const request of this.pending.splice(0)) request.reject(failure);
  }

  private takeHeader(): boolean {
    const data = this.joined();
    const end = data.indexOf(NEWLINE);
    if (end < 0) return false;
    const [oid = '', type = '', size = ''] = data.toString('utf8', 0, end).split(' ');
    this.rest(data, end + 1);
    const found = size !== '';
    if (found && this.pending[0]?.wantsContent) this.header = { oid, type, size: Number(size) };
    else this.pending.shift()?.resolve(found ? { oid, type, size: Number(size), content: Buffer.alloc(0) } : null);
    return true;
  }

  /** Joins chunks only once all of them are there, so that large objects are copied once. */
  private takeContent(header: Header): boolean {
    if (this.buffered < header.size + 1) return false;
    const data = this.joined();
    this.header = undefined;
    this.pending.shift()?.resolve({ ...header, content: Buffer.from(data.subarray(0, header.size)) });
    this.rest(data, header.size + 1);
    return true;
  }

  private joined(): Buffer {
    const [first = Buffer.alloc(0), ...others] = this.chunks;
    const data = others.length === 0 ? first : Buffer.concat(this.chunks);
    this.chunks = [data];
    return data;
  }

  private rest(data: Buffer, from: number): void {
    this.chunks = from < data.length ? [data.subarray(from)] : [];
    this.buffered = data.length - from;
  }
}

/** Reads objects and references through one long-lived child. */
export class ObjectReader {
  private readonly slot: SessionSlot<CatFileSession>;

  constructor(options: SessionOptions) {
    this.slot = new SessionSlot(() => new CatFileSession(options), options.idleMs);
  }

  /** @throws ObjectNotFoundError when nothing of that type is stored under the id */
  async read(oid: ObjectId, type: ObjectType): Promise<Buffer> {
    const object = await this.ask(checkObjectId(oid), true);
    if (object?.type !== type) throw new ObjectNotFoundError(oid, type);
    return object.content;
  }

  /** Contents in the order asked for, read a few ahead of the consumer. */
  async *readAhead(oids: readonly ObjectId[], type: ObjectType): AsyncGenerator<Buffer, void, undefined> {
    const ahead: Promise<Buffer>[] = [];
    for (let next = 0; next < oids.length || ahead.length > 0;) {
      while (ahead.length < READ_AHEAD && next < oids.length) {
        const read = this.read(oids[next++] ?? '', type);
        // Its error is thrown when its turn comes; until then it must not count as unhandled.
        read.catch(() => undefined);
        ahead.push(read);
      }
      const content = await ahead.shift();
      if (content) yield content;
    }
  }

  /** The object that a checked reference names now, or null. */
  async resolve(ref: string): Promise<ObjectId | null> {
    return (await this.ask(ref, false))?.oid ?? null;
  }

  /** Bytes of an object's content. @throws ObjectNotFoundError */
  async sizeOf(oid: ObjectId): Promise<number> {
    const object = await this.ask(checkObjectId(oid), false);
    if (!object) throw new ObjectNotFoundError(oid, 'object');
    return object.size;
  }

  close(): Promise<void> {
    return this.slot.close();
  }

  /** Reading has no effect, so a request whose child died is put once more. */
  private async ask(name: string, wantsContent: boolean): Promise<StoredObject | null> {
    try {
      return await this.slot.use().request(name, wantsContent);
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      return this.slot.use().request(name, wantsContent);
    }
  }
}
