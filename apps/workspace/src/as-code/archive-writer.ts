import { own } from '@plinth/streams';
import { pack, type Pack } from 'tar-stream';

export interface ArchiveFile {
  path: string;
  text: string;
}

/** One date for all files, so that the same content gives the same bytes. */
const header = { mtime: new Date(0), mode: 0o644, uid: 0, gid: 0, uname: '', gname: '' };

/** A tar archive of files, written while it is read. */
export async function* writeArchive(files: AsyncIterable<ArchiveFile>): AsyncGenerator<Uint8Array> {
  const archive = own(pack());
  const written = feed(archive, files);
  written.catch(() => undefined);
  yield* archive as AsyncIterable<Uint8Array>;
  await written;
}

async function feed(archive: Pack, files: AsyncIterable<ArchiveFile>): Promise<void> {
  try {
    for await (const { path, text } of files) {
      await new Promise<void>((resolve, reject) => {
        archive.entry({ ...header, name: path }, text, (error) => (error ? reject(error) : resolve()));
      });
    }
    archive.finalize();
  } catch (error) {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}
