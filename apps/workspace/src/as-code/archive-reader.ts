import { AppError } from '@plinth/errors';
import type { ByteStream } from '@plinth/messaging';
import { extract, type Headers } from 'tar-stream';
import { LIMITS } from './content-files';
import type { ImportProblems } from './problems';

/** Content of the files of an archive by their paths. */
export type ArchiveFiles = Map<string, string>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a tar archive that may be hostile, and holds no more of it than its limits. Entries that are no plain files and
 * directories are noted.
 *
 * @throws AppError `import.invalid` (400) for what is no archive, `request.too_large` (413)
 */
export async function readArchive(upload: ByteStream, problems: ImportProblems): Promise<ArchiveFiles> {
  const bytes = await collect(upload);
  const files: ArchiveFiles = new Map();
  const seen = new Set<string>();
  let count = 0;
  const entries = extract();
  entries.on('error', () => undefined);
  entries.end(bytes);
  try {
    for await (const entry of entries) {
      if ((count += 1) > LIMITS.files) throw tooLarge(`more than ${LIMITS.files} files`);
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk);
      const path = entry.header.name.replace(/^\.\//, '').replace(/\/$/, '');
      const text = decoded(Buffer.concat(chunks));
      const wrong = seen.has(path) ? 'stands in the archive twice' : wrongWith(path, entry.header, text);
      seen.add(path);
      if (wrong) problems.add('invalid', path, wrong);
      else if (entry.header.type === 'file') files.set(path, text ?? '');
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : new AppError('import.invalid', 'The file is no tar archive', { cause });
  } finally {
    entries.destroy();
  }
  if (count === 0) throw new AppError('import.invalid', 'The file is no tar archive, or an empty one');
  return files;
}

async function collect(upload: ByteStream): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of upload) {
    size += chunk.length;
    if (size > LIMITS.bytes) throw tooLarge(`more than ${LIMITS.bytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Paths lead downwards from the root of the archive, and mean the same on every machine. */
function wrongWith(path: string, { type }: Headers, text: string | undefined): string | undefined {
  if (type !== 'file' && type !== 'directory') return `is a ${type ?? 'thing'}, not a file or directory`;
  // As tar writes the directory that it was told to archive.
  if (type === 'directory' && ['', '.'].includes(path)) return undefined;
  const segments = path.split('/');
  const isPlain = (segment: string): boolean =>
    !['', '.', '..'].includes(segment) && Buffer.byteLength(segment) <= LIMITS.segmentBytes;
  if (!segments.every(isPlain) || /[\\\p{Cc}\ufffd]/u.test(path)) return 'is no path of an archive';
  if (segments.length > LIMITS.directories || Buffer.byteLength(path) > LIMITS.pathBytes) return 'lies too deep';
  return text === undefined ? 'is not UTF-8' : undefined;
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

const tooLarge = (what: string): AppError => new AppError('request.too_large', `The archive has ${what}`);
