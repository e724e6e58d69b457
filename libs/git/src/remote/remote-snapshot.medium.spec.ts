import { readdirSync } from 'node:fs';
import { type UpstreamRepository, gitIn } from '@plinth/testing';
import { type BareRepository, RemoteRejectedError, type RemoteSnapshot, RemoteTransport } from '..';
import { type Remotes, remoteSettings, startRemotes } from './remote-fixture';

const transport = new RemoteTransport(remoteSettings);

let remotes: Remotes;
let repository: BareRepository;
let upstream: UpstreamRepository;

beforeAll(() => {
  remotes = startRemotes();
});
afterAll(() => remotes.stop());
beforeEach(async () => {
  ({ repository, upstream } = await remotes.newPair());
});

const read = async ({ ref, commit, repository: view }: RemoteSnapshot) => ({
  ref,
  text: (await view.fileAt(commit, 'a')).toString(),
});
const look = (ref: string | null) =>
  transport.snapshot(repository, { url: `file://${upstream.directory}` }, { ref }, read);

describe('a snapshot', () => {
  it('is refused of what is not there', async () => {
    await expect(look(null)).rejects.toThrow(RemoteRejectedError);
    upstream.commit('main', { a: '1' });
    await expect(look('other')).rejects.toThrow('The remote repository has no branch or tag other.');
    await expect(look('refs/pull/1/head')).rejects.toThrow(RemoteRejectedError);
    await expect(look('--upload-pack=x')).rejects.toThrow(RemoteRejectedError);
  });

  it('leaves nothing behind, also when the look at it fails', async () => {
    upstream.commit('main', { a: '1' });
    const before = readdirSync(repository.directory);
    const failing = transport.snapshot(repository, { url: `file://${upstream.directory}` }, { ref: null }, async () =>
      Promise.reject(new Error('no thanks')),
    );
    await expect(failing).rejects.toThrow('no thanks');
    await look('main');
    expect(readdirSync(repository.directory)).toEqual(before);
    expect(await repository.resolveRef('refs/plinth/snapshot')).toBeNull();
  });

  it('is of the default branch, a branch, a tag of either kind, or a full name; branches come first', async () => {
    const commit = upstream.commit('main', { a: 'main' });
    upstream.commit('team/x', { a: 'x' });
    gitIn(upstream.directory, ['tag', 'v1', commit]);
    gitIn(upstream.directory, ['tag', '-a', '-m', 'note', 'v2', commit]);
    gitIn(upstream.directory, ['tag', 'team/x', commit]);
    expect(await look(null)).toEqual({ ref: 'refs/heads/main', text: 'main' });
    expect(await look('team/x')).toEqual({ ref: 'refs/heads/team/x', text: 'x' });
    expect(await look('v1')).toEqual({ ref: 'refs/tags/v1', text: 'main' });
    expect(await look('v2')).toEqual({ ref: 'refs/tags/v2', text: 'main' });
    expect(await look('refs/tags/team/x')).toEqual({ ref: 'refs/tags/team/x', text: 'main' });
  });

  it('has no history', async () => {
    upstream.commit('main', { a: '1' });
    const first = upstream.head('main') ?? '';
    upstream.commit('main', { a: '2' });
    const access = { url: `file://${upstream.directory}` };
    const found = await transport.snapshot(repository, access, { ref: null }, (snapshot) =>
      snapshot.repository.blobSize(first).then(
        () => 'history',
        () => 'none',
      ),
    );
    expect(found).toBe('none');
  });
});
