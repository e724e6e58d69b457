import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost } from '@plinth/caches';
import { LRUCache } from 'lru-cache';
import { BareRepository, type RepositoryContext } from './bare-repository';
import { GitCommands } from './git-commands';
import { type GitSettings, gitEnvironment } from './git-environment';
import { sweepLeftovers } from './leftovers';
import { repositoryPath } from './repository-path';

export interface RepositoryStoreOptions extends GitSettings {
  /** Folder that holds all repositories. */
  root: string;
  /** How many repositories keep children and caches at a time; default 64. */
  maxOpen?: number;
  /** Milliseconds after which an unused git child is ended; default 60,000. */
  idleMs?: number;
  /** Milliseconds to wait for another process's lock on a reference; default 10,000. */
  lockWaitMs?: number;
  /** Age in milliseconds at which a lock or a half-written file counts as left by a dead process; default 60,000. */
  staleMs?: number;
  /**
   * Asked before objects become part of a repository, with the bytes that they take on disk; when it throws, none of
   * them is kept. What git writes itself while it merges is not asked for, and the size of the repository tells of it.
   */
  admit?(id: string, bytes: number, repository: Pick<BareRepository, 'storedBytes'>): Promise<void>;
}

/** A repository id is not one this store takes. */
export class RepositoryNotFoundError extends Error {
  override readonly name = 'RepositoryNotFoundError';

  constructor(readonly id: string) {
    super(`No repository ${id}`);
  }
}

const MAX_CONTENT_HASHES = 200_000;
/** Mode of repositories and the folders around them: no other account of the machine reads what tenants keep. */
const PRIVATE = 0o700;

/** Bare repositories under one folder, spread over 256 subfolders. Several processes may share it. */
export class RepositoryStore {
  private readonly context: RepositoryContext;
  private readonly opened: LRUCache<string, Promise<BareRepository>>;
  private readonly closing = new Set<Promise<void>>();

  constructor(private readonly options: RepositoryStoreOptions) {
    this.context = {
      binary: options.binary ?? 'git',
      environment: gitEnvironment(options),
      idleMs: options.idleMs ?? 60_000,
      locks: { waitMs: options.lockWaitMs ?? 10_000, staleMs: options.staleMs ?? 60_000 },
      contentHashes: new LRUCache(atMost(MAX_CONTENT_HASHES)),
    };
    this.opened = new LRUCache({
      max: options.maxOpen ?? 64,
      dispose: (repository) => this.closeInBackground(repository),
    });
  }

  /** Makes an empty repository; one that exists is opened. It appears whole or not at all. */
  async create(id: string): Promise<BareRepository> {
    const path = this.pathOf(id);
    if (await this.exists(id)) return this.open(id);
    const draft = `${path}.${randomUUID()}.new`;
    await mkdir(draft, { recursive: true, mode: PRIVATE });
    const git = new GitCommands(draft, this.context.binary, this.context.environment);
    await git.run({ subcommand: 'init', flags: ['--bare', '--quiet', '--initial-branch=main', '--template='] });
    await rename(draft, path).catch(async (error: unknown) => {
      await rm(draft, { recursive: true, force: true });
      if (!(await this.exists(id))) throw error;
    });
    return this.open(id);
  }

  /** @throws RepositoryNotFoundError when it was never created, or was removed */
  async open(id: string): Promise<BareRepository> {
    const cached = this.opened.get(id);
    if (cached) return cached;
    const opening = this.load(id);
    this.opened.set(id, opening);
    opening.catch(() => this.opened.delete(id));
    return opening;
  }

  async exists(id: string): Promise<boolean> {
    const info = await stat(join(this.pathOf(id), 'HEAD')).catch(() => undefined);
    return info !== undefined;
  }

  /** Deletes a repository; it is gone at once, its files a moment later. A missing one is no error. */
  async remove(id: string): Promise<void> {
    const path = this.pathOf(id);
    this.opened.delete(id);
    await Promise.all(this.closing);
    const trash = `${path}.${randomUUID()}.removed`;
    const moved = await rename(path, trash).then(
      () => true,
      () => false,
    );
    if (moved) await rm(trash, { recursive: true, force: true });
    else if (await this.exists(id)) throw new Error(`Repository ${id} could not be removed`);
  }

  /** The repositories in use, which are those that change. */
  async *inUse(): AsyncGenerator<BareRepository, void, undefined> {
    for (const opening of [...this.opened.values()]) {
      const repository = await opening.catch(() => undefined);
      if (repository) yield repository;
    }
  }

  /** Ends every git child. */
  async close(): Promise<void> {
    this.opened.clear();
    await Promise.all(this.closing);
  }

  private async load(id: string): Promise<BareRepository> {
    if (!(await this.exists(id))) throw new RepositoryNotFoundError(id);
    try {
      return await this.prepare(id);
    } catch (error) {
      // It may have been removed meanwhile.
      throw (await this.exists(id)) ? error : new RepositoryNotFoundError(id);
    }
  }

  private async prepare(id: string): Promise<BareRepository> {
    const path = this.pathOf(id);
    // Who may read a volume that belongs to another account is decided there.
    if ((await stat(path)).mode & 0o077) await chmod(path, PRIVATE).catch(() => undefined);
    await sweepLeftovers(path, this.context.locks.staleMs);
    const repository: BareRepository = new BareRepository(path, {
      ...this.context,
      admission: async (bytes) => this.options.admit?.(id, bytes, repository),
    });
    return repository;
  }

  private closeInBackground(opening: Promise<BareRepository>): void {
    const closing = opening.then((repository) => repository.close()).catch(() => undefined);
    this.closing.add(closing);
    void closing.finally(() => this.closing.delete(closing));
  }

  private pathOf(id: string): string {
    return repositoryPath(this.options.root, id);
  }
}
