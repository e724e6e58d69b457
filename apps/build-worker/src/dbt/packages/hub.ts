import { createGunzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EgressError, guardedFetch, type EgressLimits } from '@plinth/egress';
import { extract, type Headers } from 'tar-stream';
import { z } from 'zod';
import type { ProjectFile, ProjectLimits } from '../sources/dbt-repository';
import { SyncFailure } from '../syncs/sync-outcome';

export interface HubOptions extends Omit<EgressLimits, 'limitBytes'> {
  /** Address of the registry of packages. */
  url: string;
}

const DESCRIPTION_BYTES = 1024 * 1024;
const ARCHIVE_BYTES = 32 * 1024 * 1024;
const REDIRECTIONS = 3;

const description = z.object({ downloads: z.object({ tarball: z.url() }) });

/**
 * The files of a package of the registry.
 *
 * @throws SyncFailure when it cannot be had
 */
export async function hubPackage(
  { name, version }: { name: string; version: string },
  hub: HubOptions,
  limits: ProjectLimits,
  signal: AbortSignal,
): Promise<ProjectFile[]> {
  const what = `The package ${name} ${version}`;
  try {
    const about = await fetched(new URL(`/api/v1/${name}/${version}.json`, hub.url), hub, DESCRIPTION_BYTES, signal);
    const { downloads } = description.parse(JSON.parse(about.toString('utf8')));
    return await unpacked(await fetched(new URL(downloads.tarball), hub, ARCHIVE_BYTES, signal), limits);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyncFailure) throw new SyncFailure(`${what} cannot be installed: ${error.message}`);
    const reason =
      error instanceof EgressError ? error.message : 'the registry of packages does not answer as it should';
    throw new SyncFailure(`${what} cannot be installed: ${reason}`);
  }
}

async function fetched(start: URL, hub: HubOptions, limitBytes: number, signal: AbortSignal): Promise<Buffer> {
  let url = start;
  for (let hops = 0; hops <= REDIRECTIONS; hops += 1) {
    const answer = await guardedFetch(url, { method: 'GET', signal }, { ...hub, limitBytes });
    const location = answer.headers.get('location');
    if (answer.status === 200) return Buffer.from(await answer.arrayBuffer());
    if (answer.status < 300 || answer.status >= 400 || location === null) {
      throw new SyncFailure(`${url.host} answers ${answer.status}`);
    }
    url = new URL(location, url);
  }
  throw new SyncFailure(`${start.host} sends from one address to the next`);
}

/** The ordinary files of an archive, whose names begin with one folder. */
async function unpacked(archive: Buffer, limits: ProjectLimits): Promise<ProjectFile[]> {
  const files: ProjectFile[] = [];
  let bytes = 0;
  let failure: unknown;
  const reader = extract();
  const take = async ({ type, name }: Headers, entry: Readable): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of entry as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limits.bytes) throw new SyncFailure(`it has more than ${limits.bytes} bytes`);
      chunks.push(chunk);
    }
    if (type !== 'file') return;
    if (files.length >= limits.files) throw new SyncFailure(`it has more than ${limits.files} files`);
    files.push({ path: name.split('/').slice(1).join('/'), content: Buffer.concat(chunks) });
  };
  reader.on('entry', (headers: Headers, entry: Readable, next: (error?: unknown) => void) => {
    take(headers, entry).then(
      () => next(),
      (error: unknown) => next((failure = error)),
    );
  });
  try {
    await pipeline(Readable.from([archive]), createGunzip(), reader);
  } catch (error) {
    // An entry that is left ends the archive with an error of its own.
    throw failure ?? error;
  }
  return files.filter(({ path }) => path !== '');
}
