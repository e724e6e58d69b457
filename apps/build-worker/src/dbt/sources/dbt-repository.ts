import { Injectable } from '@nestjs/common';
import type { BareRepository, ObjectId, RemoteAccess, TreeFile } from '@plinth/git';
import { RemoteTransport } from '@plinth/git';
import type { DataModel } from '../../data-models';
import { toRemoteAppError } from '../../remotes';
import { SyncFailure } from '../syncs/sync-outcome';

/** A file of a project; its path is relative to the project's folder. */
export interface ProjectFile {
  path: string;
  content: Buffer;
}

/** A folder of a repository at one commit. */
export interface Project {
  ref: string;
  commit: ObjectId;
  files: ProjectFile[];
  /** What is no ordinary file, and left out: links could lead anywhere. */
  links: string[];
}

export interface ProjectLimits {
  files: number;
  bytes: number;
}

export interface ProjectPlace {
  /** As {@link RemoteTransport.snapshot} takes it. */
  ref: string | null;
  /** `.` for the root. */
  folder: string;
}

const LINK_MODE = '120000';
/** A file of a project is text that people have written. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Reads projects of repositories elsewhere, without ever writing them to a disk. */
@Injectable()
export class DbtRepository {
  constructor(private readonly transport: RemoteTransport) {}

  /** @throws AppError `remote.*` (400), SyncFailure for what is too large */
  async read(
    { git }: Pick<DataModel, 'git'>,
    access: RemoteAccess,
    { ref, folder }: ProjectPlace,
    limits: ProjectLimits,
    signal?: AbortSignal,
  ): Promise<Project> {
    const request = { ref, maxBytes: 4 * limits.bytes };
    try {
      return await this.transport.snapshot(
        git,
        access,
        request,
        async (snapshot) => {
          const files = await filesBelow(snapshot.repository, snapshot.commit, folder);
          const ordinary = files.filter(({ mode }) => mode !== LINK_MODE);
          return {
            ref: snapshot.ref,
            commit: snapshot.commit,
            files: await contentsOf(snapshot.repository, ordinary, limits),
            links: files.filter(({ mode }) => mode === LINK_MODE).map(({ path }) => path),
          };
        },
        signal,
      );
    } catch (error) {
      throw toRemoteAppError(error);
    }
  }
}

async function filesBelow(git: BareRepository, commit: ObjectId, folder: string): Promise<TreeFile[]> {
  if (folder === '.') return git.readTree(commit);
  const files = await git.readTree(commit, { prefix: folder });
  return files.map(({ path, ...file }) => ({ ...file, path: path.slice(folder.length + 1) }));
}

async function contentsOf(
  git: BareRepository,
  files: readonly TreeFile[],
  limits: ProjectLimits,
): Promise<ProjectFile[]> {
  if (files.length > limits.files) throw new SyncFailure(`The repository has more than ${limits.files} files`);
  const read: ProjectFile[] = [];
  let bytes = 0;
  for (const { path, oid } of files) {
    const size = await git.blobSize(oid);
    bytes += size;
    if (size > MAX_FILE_BYTES) throw new SyncFailure(`${path} is larger than ${MAX_FILE_BYTES} bytes`);
    if (bytes > limits.bytes) throw new SyncFailure(`The repository has more than ${limits.bytes} bytes`);
    read.push({ path, content: await git.readBlob(oid) });
  }
  return read;
}
