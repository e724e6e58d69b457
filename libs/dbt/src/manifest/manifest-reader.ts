import { COUNTED_SECTIONS, type Manifest, ManifestBuilder, READ_SECTIONS } from './manifest';
import { ManifestError } from './manifest-error';

/** More bytes than were allowed. */
export class ManifestTooLarge extends ManifestError {
  override name = 'ManifestTooLarge';
}

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST, COMMA, COLON, QUOTE, BACKSLASH] = Buffer.from('{}[],:"\\');
const SPACES: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const MAX_DEPTH = 500;

/**
 * Reads a manifest from its bytes. Only one entry of it is held as text at a time, and of each what the conversion needs:
 * what is large in a manifest, SQL and macros, is passed over.
 *
 * @throws ManifestError for what is no manifest, ManifestTooLarge for more than `limitBytes`
 */
export async function readManifest(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { limitBytes }: { limitBytes: number },
): Promise<Manifest> {
  const scanner = new ManifestScanner();
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.byteLength;
    if (bytes > limitBytes) throw new ManifestTooLarge(`The manifest is larger than ${limitBytes} bytes`);
    scanner.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }
  return scanner.end();
}

/**
 * Follows the two outer levels of the document, sections and their entries, and hands what is kept of them to JSON.parse
 * piece by piece. Inside a value brackets are counted alone.
 */
class ManifestScanner {
  private readonly builder = new ManifestBuilder();
  /** Outer objects that are open: the document, and one of its sections. */
  private level = 0;
  /** Brackets that are open inside the value at hand. */
  private inner = 0;
  private inString = false;
  private escaped = false;
  private inValue = false;
  private ended = false;
  private section = '';
  private id = '';
  private keeping = false;
  private kept: Buffer[] = [];
  private chunk: Uint8Array = new Uint8Array();
  /** Where the text at hand begins in the chunk, and how many bytes came before the chunk. */
  private start = 0;
  private offset = 0;

  push(chunk: Buffer): void {
    this.chunk = chunk;
    this.start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] as number;
      if (this.inString) this.readString(byte);
      else if (this.level === 0) this.readOutside(byte, index);
      else if (byte === QUOTE) this.inString = true;
      else this.readStructure(byte, index);
    }
    this.keepUntil(chunk.length);
    this.offset += chunk.length;
  }

  /** @throws ManifestError when the document has not ended, or is no manifest */
  end(): Manifest {
    if (!this.ended) throw new ManifestError('This is no JSON: it ends too early');
    return this.builder.build();
  }

  private readString(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) this.inString = false;
  }

  private readOutside(byte: number, index: number): void {
    const place = this.offset + index;
    if (SPACES.has(byte) || byte === BYTE_ORDER_MARK[place]) return;
    if (this.ended || byte !== OPEN_OBJECT) this.refuse(index);
    this.level = 1;
    this.startKey(index);
  }

  private readStructure(byte: number, index: number): void {
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.open(byte, index);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.close(byte, index);
    else if (this.inner > 0) return;
    else if (byte === COLON) this.endKey(index);
    else if (byte === COMMA) {
      this.endValue(index);
      this.startKey(index);
    }
  }

  private open(byte: number, index: number): void {
    if (!this.inValue) this.refuse(index);
    const entersSection = this.inner === 0 && this.level === 1 && byte === OPEN_OBJECT && isSection(this.section);
    if (entersSection) {
      this.level = 2;
      this.builder.open(this.section);
      this.startKey(index);
    } else if ((this.inner += 1) > MAX_DEPTH) {
      throw new ManifestError(`This is no dbt manifest: it is nested deeper than ${MAX_DEPTH} levels`);
    }
  }

  private close(byte: number, index: number): void {
    if (this.inner > 0) this.inner -= 1;
    else if (byte === CLOSE_LIST) this.refuse(index);
    else {
      this.endValue(index);
      this.level -= 1;
      this.ended = this.level === 0;
      // The value that ended was the section.
      this.inValue = true;
    }
  }

  private startKey(index: number): void {
    this.inValue = false;
    this.startText(index, true);
  }

  private endKey(index: number): void {
    if (this.inValue) this.refuse(index);
    const key = String(this.take(index));
    if (this.level === 1) this.section = key;
    else this.id = key;
    this.inValue = true;
    this.startText(index, this.level === 1 ? key === 'metadata' : READ_SECTIONS.has(this.section));
    if (this.level === 2) this.builder.count(this.section);
  }

  private endValue(index: number): void {
    if (this.inValue && this.keeping) {
      const value = this.take(index);
      if (this.level === 1) this.builder.setMetadata(value);
      else this.builder.add(this.section, this.id, value);
    }
    this.startText(index, false);
  }

  private startText(index: number, keeping: boolean): void {
    this.keeping = keeping;
    this.kept = [];
    this.start = index + 1;
  }

  private keepUntil(index: number): void {
    // A copy, because streams use their buffers again.
    if (this.keeping) this.kept.push(Buffer.from(this.chunk.subarray(this.start, index)));
    this.start = index;
  }

  private take(index: number): unknown {
    this.keepUntil(index);
    try {
      return JSON.parse(Buffer.concat(this.kept).toString('utf8'));
    } catch {
      return this.refuse(index);
    }
  }

  private refuse(index: number): never {
    throw new ManifestError(`This is no JSON object: see the text before byte ${this.offset + index + 1}`);
  }
}

function isSection(name: string): boolean {
  return READ_SECTIONS.has(name) || COUNTED_SECTIONS.has(name);
}
