const MAX_PATH_BYTES = 1024;
const MAX_SEGMENT_BYTES = 255;
const LONE_SURROGATE = /\p{Surrogate}/u;
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

// Code points that HFS+ ignores when it compares names, so that `.g<U+200C>it` opens `.git` there.
const IGNORABLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
// NTFS drops trailing dots and spaces, splits off streams at a colon, and knows `.git` by its short name too.
const GIT_DIRECTORY = /^(?:\.git|git~1)[. ]*(?::.*)?$/i;

/** A path that must not be stored; the message is a sentence for the client. */
export class InvalidPathError extends Error {
  override readonly name = 'InvalidPathError';

  constructor(
    readonly path: string,
    reason: string,
  ) {
    super(`Invalid path ${JSON.stringify(path.slice(0, 200))}: ${reason}.`);
  }
}

/**
 * The one spelling under which a file is stored: relative, `/` between segments, Unicode NFC. One leading slash is dropped.
 * @throws InvalidPathError for what would be unsafe or ambiguous in a checkout on any system
 */
export function normalisePath(path: string): string {
  const reject = (reason: string): never => {
    throw new InvalidPathError(path, reason);
  };
  if (LONE_SURROGATE.test(path)) reject('it is not valid Unicode');
  if (CONTROL.test(path)) reject('control characters are not allowed');
  if (path.includes('\\')) reject('use "/" between directories, "\\" is not allowed');

  const normal = path.normalize('NFC').replace(/^\//, '');
  if (normal === '') reject('it is empty');
  if (Buffer.byteLength(normal) > MAX_PATH_BYTES) reject(`it is longer than ${MAX_PATH_BYTES} bytes`);
  for (const segment of normal.split('/')) {
    const problem = problemOf(segment);
    if (problem) reject(problem);
  }
  return normal;
}

/**
 * The one spelling of a folder: as {@link normalisePath}, and empty for the root of the repository, which `/`, `.` and
 * `./` mean as well. Slashes at its end are dropped, and `./` before it.
 * @throws InvalidPathError
 */
export function normaliseFolder(path: string): string {
  const bare = path
    .trim()
    .replace(/^(\.?\/+)+/, '')
    .replace(/\/+$/, '');
  return bare === '' || bare === '.' ? '' : normalisePath(bare);
}

function problemOf(segment: string): string | undefined {
  if (segment === '') return 'it has an empty segment';
  if (segment === '.' || segment === '..') return `"${segment}" is not allowed as a segment`;
  if (GIT_DIRECTORY.test(segment.replace(IGNORABLE, ''))) return '".git" is reserved';
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return `a segment is longer than ${MAX_SEGMENT_BYTES} bytes`;
  return undefined;
}
