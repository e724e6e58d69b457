import { extract, pack, type Headers } from 'tar-stream';

export type ArchiveEntry = Headers & { text?: string };

/** An archive of files, or of whatever entries a test wants. */
export async function archiveOf(files: Record<string, string> | readonly ArchiveEntry[]): Promise<Buffer> {
  const entries = Array.isArray(files)
    ? (files as readonly ArchiveEntry[])
    : Object.entries(files as Record<string, string>).map(([name, text]): ArchiveEntry => ({ name, text }));
  const archive = pack();
  for (const { text, ...header } of entries) archive.entry(header, text ?? '');
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Texts of the files of an archive, in its order. */
export async function filesIn(archive: Buffer): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const entries = extract();
  entries.end(archive);
  for await (const entry of entries) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk);
    files[entry.header.name] = Buffer.concat(chunks).toString();
  }
  return files;
}
