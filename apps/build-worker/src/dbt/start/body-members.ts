import { AppError } from '@plinth/errors';

/** A piece of the value of a member of a JSON object; the last one says so. */
export interface MemberPiece {
  name: string;
  bytes: Buffer;
  last: boolean;
}

const MAX_DEPTH = 256;
const MAX_NAME_BYTES = 1_000;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST, COMMA, COLON, QUOTE, BACKSLASH] = Buffer.from('{}[],:"\\');
const SPACES: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));

type State = 'start' | 'name or end' | 'name' | 'in name' | 'colon' | 'value' | 'in value' | 'after value' | 'end';

const malformed = (reason: string): AppError =>
  new AppError('request.malformed_body', `The body is not JSON: ${reason}`);

/**
 * The members of the JSON object that a body is, as they arrive: whoever reads decides what is kept. That values are JSON
 * is for the reader to find out; here their brackets are counted. Nothing comes of an empty body.
 *
 * @throws AppError `request.malformed_body` (400) for what is no object, breaks off, or is nested too deeply
 */
export async function* bodyMembers(source: AsyncIterable<Uint8Array>): AsyncGenerator<MemberPiece, void, undefined> {
  const scanner = new MemberScanner();
  for await (const chunk of source) {
    yield* scanner.read(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }
  scanner.end();
}

class MemberScanner {
  private state: State = 'start';
  private name: Buffer[] = [];
  private depth = 0;
  private inString = false;
  private escaped = false;

  *read(chunk: Buffer): Generator<MemberPiece, void, undefined> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.state === 'in value') {
        if (!this.endsValue(byte)) continue;
        yield this.piece(chunk.subarray(from, at), true);
        this.afterValue(byte);
      } else if (this.state === 'in name') {
        if (this.endsString(byte)) this.state = 'colon';
        this.name.push(chunk.subarray(at, at + 1));
        if (this.name.length > MAX_NAME_BYTES) throw malformed('a name is too long');
      } else if (!SPACES.has(byte)) {
        if (this.state === 'value') from = at;
        this.step(byte);
      }
    }
    if (this.state === 'in value') yield this.piece(chunk.subarray(from), false);
  }

  /** @throws AppError `request.malformed_body` (400) when the object has not ended */
  end(): void {
    if (this.state !== 'end' && this.state !== 'start') throw malformed('it ends too early');
  }

  private step(byte: number): void {
    const { state } = this;
    if (state === 'after value') this.afterValue(byte);
    else if (state === 'value' && !isPunctuation(byte)) this.beginValue(byte);
    else this.state = nextState(state, byte);
    if (this.state === 'in name') this.name = [Buffer.from('"')];
  }

  private beginValue(byte: number): void {
    this.state = 'in value';
    this.depth = 0;
    this.endsValue(byte);
  }

  /** Whether the byte is the first one after the value. */
  private endsValue(byte: number): boolean {
    if (this.inString) {
      this.endsString(byte);
      return false;
    }
    if (byte === QUOTE) this.inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      this.depth += 1;
      if (this.depth >= MAX_DEPTH) throw malformed(`it is nested deeper than ${MAX_DEPTH} levels`);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (this.depth === 0) return true;
      this.depth -= 1;
    } else return byte === COMMA && this.depth === 0;
    return false;
  }

  private endsString(byte: number): boolean {
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) {
      this.inString = false;
      return true;
    }
    return false;
  }

  private afterValue(byte: number): void {
    if (byte === COMMA) this.state = 'name';
    else if (byte === CLOSE_OBJECT) this.state = 'end';
    else throw malformed('an object is not closed');
  }

  private piece(bytes: Buffer, last: boolean): MemberPiece {
    return { name: parsedName(Buffer.concat(this.name)), bytes, last };
  }
}

/** @throws AppError `request.malformed_body` (400) */
function nextState(state: State, byte: number): State {
  if (state === 'start' && byte === OPEN_OBJECT) return 'name or end';
  if (state === 'name or end' && byte === CLOSE_OBJECT) return 'end';
  if ((state === 'name or end' || state === 'name') && byte === QUOTE) return 'in name';
  if (state === 'colon' && byte === COLON) return 'value';
  throw malformed(`there is ${JSON.stringify(String.fromCharCode(byte))} in a wrong place`);
}

const isPunctuation = (byte: number): boolean => [CLOSE_OBJECT, CLOSE_LIST, COMMA, COLON].includes(byte);

function parsedName(text: Buffer): string {
  try {
    return JSON.parse(text.toString('utf8')) as string;
  } catch {
    throw malformed('a name is no text');
  }
}
