import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpstreamRepository } from '@plinth/testing';
import { type BareRepository, RepositoryStore, type RemoteTransportSettings } from '..';

export const remoteSettings: RemoteTransportSettings = {
  allowInsecure: true,
  allowPrivate: true,
  timeoutMs: 120_000,
  maxFetchBytes: 64 * 1024 * 1024,
  logger: { warn: () => undefined },
};

/** A repository of ours, and one elsewhere that it has to do with. */
export interface RemotePair {
  name: string;
  repository: BareRepository;
  upstream: UpstreamRepository;
}

export interface Remotes {
  /** Where those that are elsewhere are. */
  root: string;
  newPair(): Promise<RemotePair>;
  stop(): Promise<void>;
}

export function startRemotes(): Remotes {
  const root = mkdtempSync(join(tmpdir(), 'plinth-remote-'));
  const store = new RepositoryStore({ root: join(root, 'store') });
  let pairs = 0;
  return {
    root,
    newPair: async () => {
      const name = `r${++pairs}`;
      return { name, repository: await store.create(name), upstream: new UpstreamRepository(root, name) };
    },
    stop: async () => {
      await store.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const author = { name: 'Ada', email: 'ada@example.com', at: new Date(1_700_000_000_000) };

/** Commits one file to the branch. Returns the new head. */
export const commitFile = (
  repository: BareRepository,
  branch: string,
  expectedHead: string | null,
  content: string,
): Promise<string> =>
  repository.commitChanges({
    branch,
    expectedHead,
    changes: [{ kind: 'put', path: 'a', content }],
    message: 'change',
    author,
  });

/** What the work was refused with. */
export const rejection = async (work: Promise<unknown>): Promise<Error & { output?: string }> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error('expected a rejection');
  return error;
};
