import { AppError } from '@plinth/errors';
import type { ByteStream } from '@plinth/messaging';
import { extract, type Headers } from 'tar-stream';
import { LIMITS } from './content-files';

/** Content of the files of an archive by their paths. */
export type ArchiveFiles = Map<string, string>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a tar archive that may be hostile, and holds no more of it than its limits.
 *
 * @throws AppError `import.invalid` (400) for what is no plain archive of files and directories, `request.too_large` (413)
 */
export async function readArchive(upload: ByteStream): Promise<ArchiveFiles> {
  const bytes = await collect(upload);
  const files: ArchiveFiles = new Map();
  const seen = new Set<string>();
  const entries = extract();
  entries.on('error', () => undefined);
  entries.end(bytes);
  try {
    for await (const entry of entries) {
      const path = pathOf(entry.header);
      if (seen.size >= LIMITS.files) throw tooLarge(`more than ${LIMITS.files} files`);
      if (seen.has(path)) throw invalid(path, 'stands in the archive twice');
      seen.add(path);
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk);
      if (entry.header.type === 'file') files.set(path, textOf(path, Buffer.concat(chunks)));
    }
  } catch (error) {
    throw error instanceof AppError ? error : invalid('', 'The file is no tar archive', error);
  } finally {
    entries.destroy();
  }
  if (seen.size === 0) throw invalid('', 'The file is no tar archive, or an empty one');
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
function pathOf({ name, type }: Headers): string {
  const path = name.replace(/^\.\//, '').replace(/\/$/, '');
  if (type !== 'file' && type !== 'directory') throw invalid(path, `is a ${type ?? 'thing'}, not a file or directory`);
  const segments = path.split('/');
  const isPlain = (segment: string): boolean =>
    segment !== '' && segment !== '..' && Buffer.byteLength(segment) <= LIMITS.segmentBytes;
  if (!segments.every(isPlain) || /[\\\p{Cc}\ufffd]/u.test(path)) throw invalid(path, 'is no path of an archive');
  if (segments.length > LIMITS.directories || Buffer.byteLength(path) > LIMITS.pathBytes)
    throw invalid(path, 'lies too deep');
  return path;
}

function textOf(path: string, bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw invalid(path, 'is not UTF-8', cause);
  }
}

function invalid(path: string, message: string, cause?: unknown): AppError {
  return new AppError('import.invalid', `${path} ${message}`.trim(), { details: [{ path, message }], cause });
}

const tooLarge = (what: string): AppError => new AppError('request.too_large', `The archive has ${what}`);
